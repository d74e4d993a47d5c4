from lrnn_cli.commands import main

main()
