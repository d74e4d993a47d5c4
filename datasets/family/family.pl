% Families, who is whose grandparent
% Made by datasets/generate.py with seed 1886; README.md tells how.
begin(model(f1)).
parent(anna,boris).
parent(adam,boris).
parent(anna,clara).
parent(adam,clara).
parent(boris,david).
parent(berta,david).
parent(boris,emil).
parent(berta,emil).
parent(clara,frieda).
parent(carl,frieda).
parent(clara,georg).
parent(carl,georg).
parent(david,hanna).
parent(dora,hanna).
parent(david,hugo).
parent(dora,hugo).
parent(david,ida).
parent(dora,ida).
parent(emil,julia).
parent(emma,julia).
parent(emil,ivan).
parent(emma,ivan).
parent(frieda,klara).
parent(felix,klara).
parent(georg,jakob).
parent(greta,jakob).
parent(georg,karel).
parent(greta,karel).
female(anna).
male(adam).
male(boris).
female(berta).
female(clara).
male(carl).
male(david).
female(dora).
male(emil).
female(emma).
female(frieda).
male(felix).
male(georg).
female(greta).
female(hanna).
male(hugo).
female(ida).
female(julia).
male(ivan).
female(klara).
male(jakob).
male(karel).
query(grandparent(anna,boris), 0.0).
query(grandparent(karel,anna), 0.0).
query(grandparent(anna,david), 1.0).
query(grandparent(felix,dora), 0.0).
query(grandparent(dora,hugo), 0.0).
query(grandparent(berta,ivan), 1.0).
query(grandparent(berta,david), 0.0).
query(grandparent(adam,jakob), 0.0).
query(grandparent(adam,hugo), 0.0).
query(grandparent(anna,ida), 0.0).
query(grandparent(hanna,ida), 0.0).
query(grandparent(carl,jakob), 1.0).
query(grandparent(anna,karel), 0.0).
query(grandparent(berta,ida), 1.0).
query(grandparent(anna,klara), 0.0).
query(grandparent(dora,georg), 0.0).
query(grandparent(jakob,karel), 0.0).
query(grandparent(hugo,hanna), 0.0).
query(grandparent(emil,adam), 0.0).
query(grandparent(hugo,ida), 0.0).
query(grandparent(felix,anna), 0.0).
query(grandparent(berta,emil), 0.0).
query(grandparent(julia,ivan), 0.0).
query(grandparent(julia,berta), 0.0).
query(grandparent(adam,ida), 0.0).
query(grandparent(boris,hanna), 1.0).
query(grandparent(hugo,klara), 0.0).
query(grandparent(frieda,klara), 0.0).
query(grandparent(carl,frieda), 0.0).
query(grandparent(adam,karel), 0.0).
query(grandparent(jakob,carl), 0.0).
query(grandparent(anna,emil), 1.0).
query(grandparent(boris,ida), 1.0).
query(grandparent(david,hugo), 0.0).
query(grandparent(karel,jakob), 0.0).
query(grandparent(hugo,boris), 0.0).
query(grandparent(emil,anna), 0.0).
query(grandparent(hanna,berta), 0.0).
query(grandparent(klara,clara), 0.0).
query(grandparent(felix,klara), 0.0).
query(grandparent(georg,frieda), 0.0).
query(grandparent(berta,hanna), 1.0).
query(grandparent(clara,jakob), 1.0).
query(grandparent(hanna,boris), 0.0).
query(grandparent(boris,ivan), 1.0).
query(grandparent(klara,hugo), 0.0).
query(grandparent(ida,hanna), 0.0).
query(grandparent(anna,hugo), 0.0).
query(grandparent(anna,julia), 0.0).
query(grandparent(david,emil), 0.0).
query(grandparent(ida,berta), 0.0).
query(grandparent(clara,georg), 0.0).
query(grandparent(berta,julia), 1.0).
query(grandparent(jakob,clara), 0.0).
query(grandparent(emil,julia), 0.0).
query(grandparent(ida,hugo), 0.0).
query(grandparent(berta,hugo), 1.0).
query(grandparent(adam,frieda), 1.0).
query(grandparent(adam,georg), 1.0).
query(grandparent(boris,hugo), 1.0).
query(grandparent(klara,carl), 0.0).
query(grandparent(clara,klara), 1.0).
query(grandparent(boris,david), 0.0).
query(grandparent(emil,ida), 0.0).
query(grandparent(anna,ivan), 0.0).
query(grandparent(dora,ida), 0.0).
query(grandparent(anna,georg), 1.0).
query(grandparent(carl,klara), 1.0).
query(grandparent(frieda,anna), 0.0).
query(grandparent(adam,emil), 1.0).
query(grandparent(adam,julia), 0.0).
query(grandparent(frieda,david), 0.0).
query(grandparent(julia,hanna), 0.0).
query(grandparent(dora,hanna), 0.0).
query(grandparent(adam,david), 1.0).
query(grandparent(boris,clara), 0.0).
query(grandparent(carl,hanna), 0.0).
query(grandparent(georg,karel), 0.0).
query(grandparent(greta,adam), 0.0).
query(grandparent(adam,boris), 0.0).
query(grandparent(anna,frieda), 1.0).
query(grandparent(ivan,berta), 0.0).
query(grandparent(georg,anna), 0.0).
query(grandparent(carl,karel), 1.0).
query(grandparent(anna,jakob), 0.0).
query(grandparent(klara,greta), 0.0).
query(grandparent(clara,boris), 0.0).
query(grandparent(hanna,hugo), 0.0).
query(grandparent(david,adam), 0.0).
query(grandparent(hugo,ivan), 0.0).
query(grandparent(clara,karel), 1.0).
query(grandparent(adam,hanna), 0.0).
query(grandparent(boris,julia), 1.0).
query(grandparent(frieda,georg), 0.0).
query(grandparent(berta,emma), 0.0).
query(grandparent(anna,hanna), 0.0).
end(model(f1)).
begin(model(f2)).
parent(anna,boris).
parent(adam,boris).
parent(anna,clara).
parent(adam,clara).
parent(anna,david).
parent(adam,david).
parent(boris,emil).
parent(berta,emil).
parent(boris,felix).
parent(berta,felix).
parent(boris,georg).
parent(berta,georg).
parent(clara,hugo).
parent(carl,hugo).
parent(david,ivan).
parent(dora,ivan).
parent(felix,jakob).
parent(emma,jakob).
parent(felix,karel).
parent(emma,karel).
parent(felix,leo).
parent(emma,leo).
parent(hugo,greta).
parent(frieda,greta).
parent(hugo,max).
parent(frieda,max).
female(anna).
male(adam).
male(boris).
female(berta).
female(clara).
male(carl).
male(david).
female(dora).
male(emil).
male(felix).
female(emma).
male(georg).
male(hugo).
female(frieda).
male(ivan).
male(jakob).
male(karel).
male(leo).
female(greta).
male(max).
query(grandparent(anna,jakob), 0.0).
query(grandparent(anna,felix), 1.0).
query(grandparent(anna,max), 0.0).
query(grandparent(adam,leo), 0.0).
query(grandparent(boris,david), 0.0).
query(grandparent(max,greta), 0.0).
query(grandparent(frieda,greta), 0.0).
query(grandparent(emil,felix), 0.0).
query(grandparent(leo,berta), 0.0).
query(grandparent(anna,boris), 0.0).
query(grandparent(felix,georg), 0.0).
query(grandparent(david,ivan), 0.0).
query(grandparent(carl,greta), 1.0).
query(grandparent(leo,boris), 0.0).
query(grandparent(adam,georg), 1.0).
query(grandparent(felix,jakob), 0.0).
query(grandparent(felix,karel), 0.0).
query(grandparent(adam,david), 0.0).
query(grandparent(boris,karel), 1.0).
query(grandparent(leo,emil), 0.0).
query(grandparent(georg,felix), 0.0).
query(grandparent(karel,boris), 0.0).
query(grandparent(adam,hugo), 1.0).
query(grandparent(boris,jakob), 1.0).
query(grandparent(berta,jakob), 1.0).
query(grandparent(ivan,adam), 0.0).
query(grandparent(georg,anna), 0.0).
query(grandparent(boris,emma), 0.0).
query(grandparent(berta,karel), 1.0).
query(grandparent(jakob,dora), 0.0).
query(grandparent(boris,emil), 0.0).
query(grandparent(carl,hugo), 0.0).
query(grandparent(adam,karel), 0.0).
query(grandparent(berta,georg), 0.0).
query(grandparent(anna,hugo), 1.0).
query(grandparent(jakob,hugo), 0.0).
query(grandparent(clara,david), 0.0).
query(grandparent(emil,leo), 0.0).
query(grandparent(adam,max), 0.0).
query(grandparent(max,carl), 0.0).
query(grandparent(karel,leo), 0.0).
query(grandparent(jakob,greta), 0.0).
query(grandparent(adam,jakob), 0.0).
query(grandparent(adam,felix), 1.0).
query(grandparent(david,adam), 0.0).
query(grandparent(adam,greta), 0.0).
query(grandparent(anna,leo), 0.0).
query(grandparent(anna,ivan), 1.0).
query(grandparent(david,boris), 0.0).
query(grandparent(carl,max), 1.0).
query(grandparent(ivan,anna), 0.0).
query(grandparent(leo,karel), 0.0).
query(grandparent(anna,karel), 0.0).
query(grandparent(felix,carl), 0.0).
query(grandparent(emma,georg), 0.0).
query(grandparent(anna,georg), 1.0).
query(grandparent(anna,adam), 0.0).
query(grandparent(emma,karel), 0.0).
query(grandparent(emil,anna), 0.0).
query(grandparent(adam,ivan), 1.0).
query(grandparent(boris,leo), 1.0).
query(grandparent(jakob,berta), 0.0).
query(grandparent(boris,clara), 0.0).
query(grandparent(adam,boris), 0.0).
query(grandparent(max,emma), 0.0).
query(grandparent(greta,max), 0.0).
query(grandparent(clara,greta), 1.0).
query(grandparent(leo,jakob), 0.0).
query(grandparent(jakob,boris), 0.0).
query(grandparent(anna,greta), 0.0).
query(grandparent(felix,anna), 0.0).
query(grandparent(berta,leo), 1.0).
query(grandparent(greta,clara), 0.0).
query(grandparent(max,berta), 0.0).
query(grandparent(clara,max), 1.0).
query(grandparent(frieda,max), 0.0).
query(grandparent(adam,emil), 1.0).
query(grandparent(anna,emil), 1.0).
query(grandparent(clara,boris), 0.0).
query(grandparent(greta,leo), 0.0).
end(model(f2)).
begin(model(f3)).
parent(anna,berta).
parent(adam,berta).
parent(anna,clara).
parent(adam,clara).
parent(anna,carl).
parent(adam,carl).
parent(berta,emma).
parent(boris,emma).
parent(berta,frieda).
parent(boris,frieda).
parent(berta,felix).
parent(boris,felix).
parent(carl,hanna).
parent(dora,hanna).
parent(carl,ida).
parent(dora,ida).
parent(emma,hugo).
parent(david,hugo).
parent(emma,ivan).
parent(david,ivan).
parent(frieda,jakob).
parent(emil,jakob).
parent(frieda,julia).
parent(emil,julia).
parent(felix,klara).
parent(greta,klara).
parent(felix,karel).
parent(greta,karel).
parent(felix,lena).
parent(greta,lena).
parent(hanna,mara).
parent(georg,mara).
parent(hanna,leo).
parent(georg,leo).
female(anna).
male(adam).
female(berta).
male(boris).
female(clara).
male(carl).
female(dora).
female(emma).
male(david).
female(frieda).
male(emil).
male(felix).
female(greta).
female(hanna).
male(georg).
female(ida).
male(hugo).
male(ivan).
male(jakob).
female(julia).
female(klara).
male(karel).
female(lena).
female(mara).
male(leo).
query(grandparent(jakob,georg), 0.0).
query(grandparent(mara,dora), 0.0).
query(grandparent(anna,frieda), 1.0).
query(grandparent(carl,adam), 0.0).
query(grandparent(ivan,hugo), 0.0).
query(grandparent(adam,felix), 1.0).
query(grandparent(leo,dora), 0.0).
query(grandparent(emma,ivan), 0.0).
query(grandparent(berta,lena), 1.0).
query(grandparent(boris,julia), 1.0).
query(grandparent(jakob,berta), 0.0).
query(grandparent(carl,clara), 0.0).
query(grandparent(adam,mara), 0.0).
query(grandparent(clara,felix), 0.0).
query(grandparent(georg,emma), 0.0).
query(grandparent(ida,carl), 0.0).
query(grandparent(anna,ivan), 0.0).
query(grandparent(anna,karel), 0.0).
query(grandparent(adam,julia), 0.0).
query(grandparent(jakob,julia), 0.0).
query(grandparent(berta,julia), 1.0).
query(grandparent(felix,boris), 0.0).
query(grandparent(anna,julia), 0.0).
query(grandparent(adam,klara), 0.0).
query(grandparent(adam,hugo), 0.0).
query(grandparent(boris,ivan), 1.0).
query(grandparent(karel,boris), 0.0).
query(grandparent(leo,carl), 0.0).
query(grandparent(felix,frieda), 0.0).
query(grandparent(hugo,ivan), 0.0).
query(grandparent(anna,berta), 0.0).
query(grandparent(klara,berta), 0.0).
query(grandparent(felix,lena), 0.0).
query(grandparent(julia,boris), 0.0).
query(grandparent(berta,klara), 1.0).
query(grandparent(anna,ida), 1.0).
query(grandparent(berta,karel), 1.0).
query(grandparent(boris,jakob), 1.0).
query(grandparent(berta,frieda), 0.0).
query(grandparent(lena,klara), 0.0).
query(grandparent(anna,hanna), 1.0).
query(grandparent(frieda,jakob), 0.0).
query(grandparent(adam,dora), 0.0).
query(grandparent(julia,clara), 0.0).
query(grandparent(frieda,julia), 0.0).
query(grandparent(mara,georg), 0.0).
query(grandparent(adam,leo), 0.0).
query(grandparent(boris,hugo), 1.0).
query(grandparent(felix,anna), 0.0).
query(grandparent(ida,hanna), 0.0).
query(grandparent(david,hugo), 0.0).
query(grandparent(carl,berta), 0.0).
query(grandparent(frieda,adam), 0.0).
query(grandparent(adam,ida), 1.0).
query(grandparent(emma,frieda), 0.0).
query(grandparent(dora,leo), 1.0).
query(grandparent(adam,jakob), 0.0).
query(grandparent(hanna,leo), 0.0).
query(grandparent(karel,lena), 0.0).
query(grandparent(adam,frieda), 1.0).
query(grandparent(greta,lena), 0.0).
query(grandparent(berta,hugo), 1.0).
query(grandparent(mara,carl), 0.0).
query(grandparent(carl,leo), 1.0).
query(grandparent(klara,boris), 0.0).
query(grandparent(david,lena), 0.0).
query(grandparent(boris,karel), 1.0).
query(grandparent(ivan,clara), 0.0).
query(grandparent(clara,berta), 0.0).
query(grandparent(carl,mara), 1.0).
query(grandparent(clara,carl), 0.0).
query(grandparent(berta,ivan), 1.0).
query(grandparent(hanna,mara), 0.0).
query(grandparent(berta,jakob), 1.0).
query(grandparent(hanna,ida), 0.0).
query(grandparent(ida,adam), 0.0).
query(grandparent(klara,frieda), 0.0).
query(grandparent(berta,emma), 0.0).
query(grandparent(adam,carl), 0.0).
query(grandparent(frieda,anna), 0.0).
query(grandparent(berta,carl), 0.0).
query(grandparent(carl,hanna), 0.0).
query(grandparent(adam,lena), 0.0).
query(grandparent(boris,lena), 1.0).
query(grandparent(dora,klara), 0.0).
query(grandparent(anna,hugo), 0.0).
query(grandparent(anna,emma), 1.0).
query(grandparent(anna,jakob), 0.0).
query(grandparent(jakob,hugo), 0.0).
query(grandparent(anna,lena), 0.0).
query(grandparent(emma,boris), 0.0).
query(grandparent(emma,anna), 0.0).
query(grandparent(boris,klara), 1.0).
query(grandparent(dora,hugo), 0.0).
query(grandparent(felix,emma), 0.0).
query(grandparent(adam,hanna), 1.0).
query(grandparent(felix,karel), 0.0).
query(grandparent(dora,ida), 0.0).
query(grandparent(hanna,anna), 0.0).
query(grandparent(karel,berta), 0.0).
query(grandparent(anna,felix), 1.0).
query(grandparent(adam,emma), 1.0).
query(grandparent(adam,ivan), 0.0).
query(grandparent(anna,mara), 0.0).
query(grandparent(berta,mara), 0.0).
query(grandparent(dora,anna), 0.0).
query(grandparent(anna,klara), 0.0).
query(grandparent(hugo,boris), 0.0).
query(grandparent(julia,jakob), 0.0).
query(grandparent(felix,adam), 0.0).
query(grandparent(dora,mara), 1.0).
query(grandparent(emil,jakob), 0.0).
end(model(f3)).
begin(model(f4)).
parent(anna,boris).
parent(adam,boris).
parent(anna,clara).
parent(adam,clara).
parent(boris,dora).
parent(berta,dora).
parent(clara,emil).
parent(carl,emil).
parent(clara,felix).
parent(carl,felix).
parent(dora,greta).
parent(david,greta).
parent(emil,georg).
parent(emma,georg).
parent(felix,hanna).
parent(frieda,hanna).
parent(felix,hugo).
parent(frieda,hugo).
female(anna).
male(adam).
male(boris).
female(berta).
female(clara).
male(carl).
female(dora).
male(david).
male(emil).
female(emma).
male(felix).
female(frieda).
female(greta).
male(georg).
female(hanna).
male(hugo).
query(grandparent(clara,boris), 0.0).
query(grandparent(dora,carl), 0.0).
query(grandparent(hanna,dora), 0.0).
query(grandparent(anna,felix), 1.0).
query(grandparent(boris,greta), 1.0).
query(grandparent(greta,berta), 0.0).
query(grandparent(adam,greta), 0.0).
query(grandparent(carl,georg), 1.0).
query(grandparent(emil,felix), 0.0).
query(grandparent(clara,hanna), 1.0).
query(grandparent(georg,dora), 0.0).
query(grandparent(greta,anna), 0.0).
query(grandparent(georg,hugo), 0.0).
query(grandparent(greta,boris), 0.0).
query(grandparent(boris,carl), 0.0).
query(grandparent(anna,hanna), 0.0).
query(grandparent(adam,hugo), 0.0).
query(grandparent(felix,anna), 0.0).
query(grandparent(dora,greta), 0.0).
query(grandparent(greta,david), 0.0).
query(grandparent(felix,adam), 0.0).
query(grandparent(adam,georg), 0.0).
query(grandparent(adam,dora), 1.0).
query(grandparent(anna,emil), 1.0).
query(grandparent(hugo,clara), 0.0).
query(grandparent(hanna,hugo), 0.0).
query(grandparent(adam,hanna), 0.0).
query(grandparent(boris,clara), 0.0).
query(grandparent(carl,hanna), 1.0).
query(grandparent(berta,greta), 1.0).
query(grandparent(carl,felix), 0.0).
query(grandparent(emma,felix), 0.0).
query(grandparent(adam,emil), 1.0).
query(grandparent(emma,georg), 0.0).
query(grandparent(carl,hugo), 1.0).
query(grandparent(greta,felix), 0.0).
query(grandparent(anna,georg), 0.0).
query(grandparent(adam,felix), 1.0).
query(grandparent(felix,hanna), 0.0).
query(grandparent(anna,greta), 0.0).
query(grandparent(emil,boris), 0.0).
query(grandparent(anna,dora), 1.0).
query(grandparent(hugo,hanna), 0.0).
query(grandparent(georg,carl), 0.0).
query(grandparent(clara,emil), 0.0).
query(grandparent(carl,anna), 0.0).
query(grandparent(felix,greta), 0.0).
query(grandparent(anna,hugo), 0.0).
query(grandparent(frieda,hugo), 0.0).
query(grandparent(clara,hugo), 1.0).
query(grandparent(clara,georg), 1.0).
query(grandparent(emil,georg), 0.0).
query(grandparent(felix,emil), 0.0).
query(grandparent(emil,anna), 0.0).
query(grandparent(david,greta), 0.0).
query(grandparent(dora,adam), 0.0).
end(model(f4)).
begin(model(f5)).
parent(anna,berta).
parent(adam,berta).
parent(anna,carl).
parent(adam,carl).
parent(anna,david).
parent(adam,david).
parent(berta,dora).
parent(boris,dora).
parent(berta,emma).
parent(boris,emma).
parent(berta,felix).
parent(boris,felix).
parent(carl,georg).
parent(clara,georg).
parent(carl,greta).
parent(clara,greta).
parent(carl,hanna).
parent(clara,hanna).
parent(dora,jakob).
parent(emil,jakob).
parent(georg,karel).
parent(frieda,karel).
parent(georg,ida).
parent(frieda,ida).
parent(greta,julia).
parent(hugo,julia).
parent(hanna,leo).
parent(ivan,leo).
parent(hanna,klara).
parent(ivan,klara).
female(anna).
male(adam).
female(berta).
male(boris).
male(carl).
female(clara).
male(david).
female(dora).
male(emil).
female(emma).
male(felix).
male(georg).
female(frieda).
female(greta).
male(hugo).
female(hanna).
male(ivan).
male(jakob).
male(karel).
female(ida).
female(julia).
male(leo).
female(klara).
query(grandparent(felix,dora), 0.0).
query(grandparent(anna,georg), 1.0).
query(grandparent(felix,klara), 0.0).
query(grandparent(berta,emma), 0.0).
query(grandparent(anna,emma), 1.0).
query(grandparent(anna,julia), 0.0).
query(grandparent(clara,klara), 1.0).
query(grandparent(georg,anna), 0.0).
query(grandparent(adam,georg), 1.0).
query(grandparent(clara,julia), 1.0).
query(grandparent(georg,klara), 0.0).
query(grandparent(frieda,clara), 0.0).
query(grandparent(adam,greta), 1.0).
query(grandparent(ivan,leo), 0.0).
query(grandparent(adam,hanna), 1.0).
query(grandparent(dora,boris), 0.0).
query(grandparent(anna,dora), 1.0).
query(grandparent(anna,klara), 0.0).
query(grandparent(clara,leo), 1.0).
query(grandparent(clara,greta), 0.0).
query(grandparent(julia,ida), 0.0).
query(grandparent(david,julia), 0.0).
query(grandparent(carl,berta), 0.0).
query(grandparent(anna,hanna), 1.0).
query(grandparent(julia,clara), 0.0).
query(grandparent(emma,greta), 0.0).
query(grandparent(leo,carl), 0.0).
query(grandparent(ida,karel), 0.0).
query(grandparent(anna,jakob), 0.0).
query(grandparent(clara,ida), 1.0).
query(grandparent(david,felix), 0.0).
query(grandparent(anna,felix), 1.0).
query(grandparent(hanna,georg), 0.0).
query(grandparent(adam,boris), 0.0).
query(grandparent(felix,berta), 0.0).
query(grandparent(felix,emma), 0.0).
query(grandparent(hanna,greta), 0.0).
query(grandparent(carl,greta), 0.0).
query(grandparent(dora,jakob), 0.0).
query(grandparent(adam,julia), 0.0).
query(grandparent(leo,berta), 0.0).
query(grandparent(hanna,anna), 0.0).
query(grandparent(emma,felix), 0.0).
query(grandparent(adam,emma), 1.0).
query(grandparent(hugo,julia), 0.0).
query(grandparent(jakob,berta), 0.0).
query(grandparent(carl,leo), 1.0).
query(grandparent(adam,jakob), 0.0).
query(grandparent(carl,klara), 1.0).
query(grandparent(klara,ida), 0.0).
query(grandparent(adam,klara), 0.0).
query(grandparent(greta,georg), 0.0).
query(grandparent(adam,dora), 1.0).
query(grandparent(anna,david), 0.0).
query(grandparent(emma,anna), 0.0).
query(grandparent(greta,julia), 0.0).
query(grandparent(carl,karel), 1.0).
query(grandparent(carl,hanna), 0.0).
query(grandparent(greta,anna), 0.0).
query(grandparent(david,carl), 0.0).
query(grandparent(klara,clara), 0.0).
query(grandparent(greta,hanna), 0.0).
query(grandparent(adam,ida), 0.0).
query(grandparent(klara,carl), 0.0).
query(grandparent(berta,jakob), 1.0).
query(grandparent(ida,carl), 0.0).
query(grandparent(ivan,hanna), 0.0).
query(grandparent(clara,karel), 1.0).
query(grandparent(adam,david), 0.0).
query(grandparent(felix,adam), 0.0).
query(grandparent(hanna,leo), 0.0).
query(grandparent(georg,greta), 0.0).
query(grandparent(boris,dora), 0.0).
query(grandparent(dora,adam), 0.0).
query(grandparent(anna,karel), 0.0).
query(grandparent(dora,felix), 0.0).
query(grandparent(anna,greta), 1.0).
query(grandparent(georg,ida), 0.0).
query(grandparent(adam,felix), 1.0).
query(grandparent(adam,karel), 0.0).
query(grandparent(boris,jakob), 1.0).
query(grandparent(carl,julia), 1.0).
query(grandparent(adam,leo), 0.0).
query(grandparent(david,clara), 0.0).
query(grandparent(anna,carl), 0.0).
query(grandparent(anna,leo), 0.0).
query(grandparent(jakob,dora), 0.0).
query(grandparent(ida,klara), 0.0).
query(grandparent(carl,david), 0.0).
query(grandparent(dora,anna), 0.0).
query(grandparent(emma,dora), 0.0).
query(grandparent(greta,adam), 0.0).
query(grandparent(anna,ida), 0.0).
query(grandparent(clara,georg), 0.0).
query(grandparent(frieda,karel), 0.0).
query(grandparent(carl,ida), 1.0).
end(model(f5)).
begin(model(f6)).
parent(anna,berta).
parent(adam,berta).
parent(anna,carl).
parent(adam,carl).
parent(anna,david).
parent(adam,david).
parent(berta,emma).
parent(boris,emma).
parent(berta,felix).
parent(boris,felix).
parent(carl,frieda).
parent(clara,frieda).
parent(carl,greta).
parent(clara,greta).
parent(carl,ivan).
parent(clara,ivan).
parent(david,ida).
parent(dora,ida).
parent(emma,karel).
parent(emil,karel).
parent(emma,julia).
parent(emil,julia).
parent(emma,leo).
parent(emil,leo).
parent(frieda,klara).
parent(georg,klara).
parent(greta,lena).
parent(hugo,lena).
parent(ivan,max).
parent(hanna,max).
parent(ivan,mara).
parent(hanna,mara).
parent(ida,nora).
parent(jakob,nora).
parent(ida,olga).
parent(jakob,olga).
parent(ida,paula).
parent(jakob,paula).
female(anna).
male(adam).
female(berta).
male(boris).
male(carl).
female(clara).
male(david).
female(dora).
female(emma).
male(emil).
male(felix).
female(frieda).
male(georg).
female(greta).
male(hugo).
male(ivan).
female(hanna).
female(ida).
male(jakob).
male(karel).
female(julia).
male(leo).
female(klara).
female(lena).
male(max).
female(mara).
female(nora).
female(olga).
female(paula).
query(grandparent(emma,leo), 0.0).
query(grandparent(klara,clara), 0.0).
query(grandparent(frieda,ivan), 0.0).
query(grandparent(anna,frieda), 1.0).
query(grandparent(ivan,adam), 0.0).
query(grandparent(adam,frieda), 1.0).
query(grandparent(emma,adam), 0.0).
query(grandparent(ida,anna), 0.0).
query(grandparent(frieda,greta), 0.0).
query(grandparent(georg,ida), 0.0).
query(grandparent(carl,david), 0.0).
query(grandparent(felix,anna), 0.0).
query(grandparent(greta,ivan), 0.0).
query(grandparent(clara,klara), 1.0).
query(grandparent(hugo,mara), 0.0).
query(grandparent(berta,leo), 1.0).
query(grandparent(ida,paula), 0.0).
query(grandparent(boris,leo), 1.0).
query(grandparent(emil,leo), 0.0).
query(grandparent(carl,mara), 1.0).
query(grandparent(nora,paula), 0.0).
query(grandparent(olga,dora), 0.0).
query(grandparent(ida,olga), 0.0).
query(grandparent(carl,lena), 1.0).
query(grandparent(boris,karel), 1.0).
query(grandparent(anna,paula), 0.0).
query(grandparent(david,carl), 0.0).
query(grandparent(nora,david), 0.0).
query(grandparent(leo,boris), 0.0).
query(grandparent(adam,greta), 1.0).
query(grandparent(mara,ida), 0.0).
query(grandparent(olga,nora), 0.0).
query(grandparent(anna,max), 0.0).
query(grandparent(anna,dora), 0.0).
query(grandparent(emma,felix), 0.0).
query(grandparent(anna,felix), 1.0).
query(grandparent(anna,ivan), 1.0).
query(grandparent(dora,frieda), 0.0).
query(grandparent(david,adam), 0.0).
query(grandparent(hugo,lena), 0.0).
query(grandparent(ivan,felix), 0.0).
query(grandparent(anna,lena), 0.0).
query(grandparent(clara,ivan), 0.0).
query(grandparent(anna,mara), 0.0).
query(grandparent(adam,klara), 0.0).
query(grandparent(hugo,georg), 0.0).
query(grandparent(frieda,klara), 0.0).
query(grandparent(karel,boris), 0.0).
query(grandparent(adam,carl), 0.0).
query(grandparent(lena,clara), 0.0).
query(grandparent(leo,julia), 0.0).
query(grandparent(adam,leo), 0.0).
query(grandparent(adam,julia), 0.0).
query(grandparent(berta,julia), 1.0).
query(grandparent(paula,david), 0.0).
query(grandparent(anna,nora), 0.0).
query(grandparent(nora,felix), 0.0).
query(grandparent(ivan,greta), 0.0).
query(grandparent(hanna,berta), 0.0).
query(grandparent(dora,nora), 1.0).
query(grandparent(berta,karel), 1.0).
query(grandparent(adam,nora), 0.0).
query(grandparent(berta,felix), 0.0).
query(grandparent(hanna,emil), 0.0).
query(grandparent(dora,berta), 0.0).
query(grandparent(max,greta), 0.0).
query(grandparent(lena,carl), 0.0).
query(grandparent(adam,ida), 1.0).
query(grandparent(adam,felix), 1.0).
query(grandparent(dora,paula), 1.0).
query(grandparent(frieda,adam), 0.0).
query(grandparent(david,berta), 0.0).
query(grandparent(paula,olga), 0.0).
query(grandparent(clara,mara), 1.0).
query(grandparent(greta,adam), 0.0).
query(grandparent(clara,lena), 1.0).
query(grandparent(mara,clara), 0.0).
query(grandparent(julia,boris), 0.0).
query(grandparent(adam,ivan), 1.0).
query(grandparent(anna,ida), 1.0).
query(grandparent(clara,frieda), 0.0).
query(grandparent(max,mara), 0.0).
query(grandparent(ivan,frieda), 0.0).
query(grandparent(emma,anna), 0.0).
query(grandparent(adam,karel), 0.0).
query(grandparent(greta,david), 0.0).
query(grandparent(julia,karel), 0.0).
query(grandparent(karel,ida), 0.0).
query(grandparent(david,ida), 0.0).
query(grandparent(david,paula), 1.0).
query(grandparent(boris,julia), 1.0).
query(grandparent(greta,lena), 0.0).
query(grandparent(olga,david), 0.0).
query(grandparent(carl,klara), 1.0).
query(grandparent(carl,frieda), 0.0).
query(grandparent(emil,karel), 0.0).
query(grandparent(carl,ivan), 0.0).
query(grandparent(carl,berta), 0.0).
query(grandparent(carl,greta), 0.0).
query(grandparent(adam,olga), 0.0).
query(grandparent(greta,frieda), 0.0).
query(grandparent(anna,emma), 1.0).
query(grandparent(hanna,mara), 0.0).
query(grandparent(adam,max), 0.0).
query(grandparent(adam,paula), 0.0).
query(grandparent(anna,olga), 0.0).
query(grandparent(felix,georg), 0.0).
query(grandparent(adam,emma), 1.0).
query(grandparent(anna,karel), 0.0).
query(grandparent(leo,karel), 0.0).
query(grandparent(adam,lena), 0.0).
query(grandparent(anna,greta), 1.0).
query(grandparent(clara,max), 1.0).
query(grandparent(ida,berta), 0.0).
query(grandparent(julia,emil), 0.0).
query(grandparent(paula,klara), 0.0).
query(grandparent(david,nora), 1.0).
query(grandparent(anna,leo), 0.0).
query(grandparent(adam,mara), 0.0).
query(grandparent(dora,olga), 1.0).
query(grandparent(ida,nora), 0.0).
query(grandparent(berta,david), 0.0).
query(grandparent(paula,dora), 0.0).
query(grandparent(carl,max), 1.0).
query(grandparent(anna,berta), 0.0).
query(grandparent(karel,julia), 0.0).
query(grandparent(david,olga), 1.0).
query(grandparent(anna,klara), 0.0).
end(model(f6)).
