"""From files to data and templates: SWI-Prolog reads them, and keeps the facts."""
