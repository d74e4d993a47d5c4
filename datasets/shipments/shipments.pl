% Shipments that are late or not
% Made by datasets/thresholds.py with seed 1912.
begin(model(s1)).
distance(182.5).
books(p1).
weight(p1, 8.24).
fragile(p2).
weight(p2, 14.01).
food(p3).
weight(p3, 20.75).
books(p4).
weight(p4, 18.35).
query(late, 1.0).
end(model(s1)).
begin(model(s2)).
distance(232.1).
food(p1).
weight(p1, 2.81).
food(p2).
weight(p2, 8.03).
food(p3).
weight(p3, 23.23).
query(late, 0.0).
end(model(s2)).
begin(model(s3)).
distance(224.9).
books(p1).
weight(p1, 2.86).
fragile(p2).
weight(p2, 16.11).
query(late, 1.0).
end(model(s3)).
begin(model(s4)).
distance(171.5).
food(p1).
weight(p1, 4.14).
food(p2).
weight(p2, 1.56).
food(p3).
weight(p3, 13.69).
food(p4).
weight(p4, 7.88).
query(late, 0.0).
end(model(s4)).
begin(model(s5)).
distance(583.2).
fragile(p1).
weight(p1, 19.73).
fragile(p2).
weight(p2, 0.68).
fragile(p3).
weight(p3, 15.11).
query(late, 1.0).
end(model(s5)).
begin(model(s6)).
distance(537.3).
books(p1).
weight(p1, 3.46).
books(p2).
weight(p2, 17.99).
books(p3).
weight(p3, 8.69).
query(late, 0.0).
end(model(s6)).
begin(model(s7)).
distance(377.9).
food(p1).
weight(p1, 20.12).
books(p2).
weight(p2, 16.48).
fragile(p3).
weight(p3, 11.05).
query(late, 0.0).
end(model(s7)).
begin(model(s8)).
distance(635.0).
fragile(p1).
weight(p1, 17.65).
fragile(p2).
weight(p2, 13.6).
books(p3).
weight(p3, 16.36).
books(p4).
weight(p4, 10.91).
food(p5).
weight(p5, 0.92).
query(late, 1.0).
end(model(s8)).
begin(model(s9)).
distance(163.4).
food(p1).
weight(p1, 18.58).
fragile(p2).
weight(p2, 15.56).
query(late, 1.0).
end(model(s9)).
begin(model(s10)).
distance(439.8).
books(p1).
weight(p1, 10.9).
books(p2).
weight(p2, 17.66).
books(p3).
weight(p3, 14.05).
fragile(p4).
weight(p4, 9.44).
query(late, 0.0).
end(model(s10)).
begin(model(s11)).
distance(365.6).
books(p1).
weight(p1, 7.71).
food(p2).
weight(p2, 6.36).
fragile(p3).
weight(p3, 22.83).
query(late, 1.0).
end(model(s11)).
begin(model(s12)).
distance(719.0).
food(p1).
weight(p1, 6.3).
books(p2).
weight(p2, 1.03).
query(late, 0.0).
end(model(s12)).
begin(model(s13)).
distance(444.3).
fragile(p1).
weight(p1, 9.93).
books(p2).
weight(p2, 17.87).
fragile(p3).
weight(p3, 17.25).
query(late, 1.0).
end(model(s13)).
begin(model(s14)).
distance(317.2).
books(p1).
weight(p1, 9.19).
books(p2).
weight(p2, 6.76).
books(p3).
weight(p3, 21.86).
fragile(p4).
weight(p4, 22.86).
query(late, 1.0).
end(model(s14)).
begin(model(s15)).
distance(359.4).
fragile(p1).
weight(p1, 0.5).
food(p2).
weight(p2, 3.75).
fragile(p3).
weight(p3, 10.15).
fragile(p4).
weight(p4, 7.51).
fragile(p5).
weight(p5, 8.28).
query(late, 0.0).
end(model(s15)).
begin(model(s16)).
distance(415.1).
fragile(p1).
weight(p1, 2.6).
books(p2).
weight(p2, 1.49).
fragile(p3).
weight(p3, 3.76).
books(p4).
weight(p4, 6.62).
query(late, 0.0).
end(model(s16)).
begin(model(s17)).
distance(173.1).
food(p1).
weight(p1, 17.43).
fragile(p2).
weight(p2, 18.07).
books(p3).
weight(p3, 4.3).
fragile(p4).
weight(p4, 0.8).
query(late, 1.0).
end(model(s17)).
begin(model(s18)).
distance(427.5).
books(p1).
weight(p1, 16.71).
food(p2).
weight(p2, 1.59).
food(p3).
weight(p3, 0.66).
query(late, 0.0).
end(model(s18)).
begin(model(s19)).
distance(433.4).
food(p1).
weight(p1, 4.24).
books(p2).
weight(p2, 19.09).
query(late, 0.0).
end(model(s19)).
begin(model(s20)).
distance(250.5).
fragile(p1).
weight(p1, 7.39).
food(p2).
weight(p2, 12.26).
books(p3).
weight(p3, 10.14).
query(late, 0.0).
end(model(s20)).
begin(model(s21)).
distance(125.8).
food(p1).
weight(p1, 15.68).
books(p2).
weight(p2, 23.24).
fragile(p3).
weight(p3, 1.17).
books(p4).
weight(p4, 21.49).
food(p5).
weight(p5, 19.13).
query(late, 0.0).
end(model(s21)).
begin(model(s22)).
distance(740.3).
fragile(p1).
weight(p1, 9.37).
books(p2).
weight(p2, 8.32).
query(late, 0.0).
end(model(s22)).
begin(model(s23)).
distance(493.3).
fragile(p1).
weight(p1, 0.58).
books(p2).
weight(p2, 20.43).
fragile(p3).
weight(p3, 6.06).
query(late, 0.0).
end(model(s23)).
begin(model(s24)).
distance(280.9).
fragile(p1).
weight(p1, 18.58).
food(p2).
weight(p2, 0.87).
books(p3).
weight(p3, 2.93).
fragile(p4).
weight(p4, 12.61).
query(late, 1.0).
end(model(s24)).
begin(model(s25)).
distance(527.8).
food(p1).
weight(p1, 10.7).
books(p2).
weight(p2, 20.79).
food(p3).
weight(p3, 4.46).
query(late, 0.0).
end(model(s25)).
begin(model(s26)).
distance(685.7).
food(p1).
weight(p1, 8.63).
fragile(p2).
weight(p2, 13.22).
fragile(p3).
weight(p3, 16.93).
query(late, 1.0).
end(model(s26)).
begin(model(s27)).
distance(588.7).
fragile(p1).
weight(p1, 13.08).
fragile(p2).
weight(p2, 20.88).
query(late, 1.0).
end(model(s27)).
begin(model(s28)).
distance(327.0).
books(p1).
weight(p1, 24.51).
fragile(p2).
weight(p2, 0.8).
fragile(p3).
weight(p3, 17.02).
food(p4).
weight(p4, 9.41).
books(p5).
weight(p5, 6.88).
query(late, 1.0).
end(model(s28)).
begin(model(s29)).
distance(311.2).
books(p1).
weight(p1, 7.52).
books(p2).
weight(p2, 15.62).
query(late, 0.0).
end(model(s29)).
begin(model(s30)).
distance(503.0).
fragile(p1).
weight(p1, 18.37).
food(p2).
weight(p2, 8.03).
books(p3).
weight(p3, 23.26).
food(p4).
weight(p4, 17.87).
query(late, 1.0).
end(model(s30)).
begin(model(s31)).
distance(330.9).
food(p1).
weight(p1, 1.78).
fragile(p2).
weight(p2, 24.49).
books(p3).
weight(p3, 0.88).
food(p4).
weight(p4, 1.07).
query(late, 1.0).
end(model(s31)).
begin(model(s32)).
distance(148.7).
fragile(p1).
weight(p1, 14.92).
fragile(p2).
weight(p2, 18.61).
books(p3).
weight(p3, 2.54).
books(p4).
weight(p4, 10.8).
fragile(p5).
weight(p5, 2.19).
query(late, 1.0).
end(model(s32)).
begin(model(s33)).
distance(477.2).
food(p1).
weight(p1, 16.0).
fragile(p2).
weight(p2, 14.22).
query(late, 1.0).
end(model(s33)).
begin(model(s34)).
distance(113.3).
food(p1).
weight(p1, 22.26).
books(p2).
weight(p2, 1.64).
books(p3).
weight(p3, 14.71).
food(p4).
weight(p4, 22.57).
books(p5).
weight(p5, 14.06).
query(late, 0.0).
end(model(s34)).
begin(model(s35)).
distance(732.1).
fragile(p1).
weight(p1, 0.54).
fragile(p2).
weight(p2, 1.44).
books(p3).
weight(p3, 23.3).
fragile(p4).
weight(p4, 4.78).
query(late, 0.0).
end(model(s35)).
begin(model(s36)).
distance(538.6).
fragile(p1).
weight(p1, 21.83).
food(p2).
weight(p2, 3.85).
food(p3).
weight(p3, 14.71).
query(late, 1.0).
end(model(s36)).
begin(model(s37)).
distance(681.8).
food(p1).
weight(p1, 20.35).
fragile(p2).
weight(p2, 20.96).
books(p3).
weight(p3, 10.11).
query(late, 1.0).
end(model(s37)).
begin(model(s38)).
distance(685.7).
fragile(p1).
weight(p1, 19.35).
food(p2).
weight(p2, 10.36).
query(late, 1.0).
end(model(s38)).
begin(model(s39)).
distance(108.1).
books(p1).
weight(p1, 11.97).
fragile(p2).
weight(p2, 20.4).
query(late, 1.0).
end(model(s39)).
begin(model(s40)).
distance(308.3).
fragile(p1).
weight(p1, 24.16).
fragile(p2).
weight(p2, 22.78).
query(late, 1.0).
end(model(s40)).
begin(model(s41)).
distance(721.0).
fragile(p1).
weight(p1, 8.86).
books(p2).
weight(p2, 24.12).
query(late, 0.0).
end(model(s41)).
begin(model(s42)).
distance(308.2).
books(p1).
weight(p1, 7.89).
books(p2).
weight(p2, 6.0).
books(p3).
weight(p3, 14.16).
query(late, 0.0).
end(model(s42)).
begin(model(s43)).
distance(202.8).
food(p1).
weight(p1, 16.6).
food(p2).
weight(p2, 0.63).
query(late, 0.0).
end(model(s43)).
begin(model(s44)).
distance(106.0).
books(p1).
weight(p1, 18.42).
fragile(p2).
weight(p2, 18.65).
fragile(p3).
weight(p3, 18.71).
books(p4).
weight(p4, 23.35).
food(p5).
weight(p5, 21.63).
query(late, 1.0).
end(model(s44)).
begin(model(s45)).
distance(223.1).
food(p1).
weight(p1, 8.45).
books(p2).
weight(p2, 7.77).
fragile(p3).
weight(p3, 17.23).
food(p4).
weight(p4, 9.07).
query(late, 1.0).
end(model(s45)).
begin(model(s46)).
distance(536.7).
books(p1).
weight(p1, 4.55).
food(p2).
weight(p2, 19.05).
food(p3).
weight(p3, 24.73).
fragile(p4).
weight(p4, 17.04).
food(p5).
weight(p5, 22.27).
query(late, 1.0).
end(model(s46)).
begin(model(s47)).
distance(472.2).
books(p1).
weight(p1, 6.01).
books(p2).
weight(p2, 1.34).
books(p3).
weight(p3, 9.02).
query(late, 0.0).
end(model(s47)).
begin(model(s48)).
distance(311.3).
books(p1).
weight(p1, 5.72).
books(p2).
weight(p2, 3.72).
books(p3).
weight(p3, 10.08).
food(p4).
weight(p4, 10.65).
food(p5).
weight(p5, 0.56).
query(late, 0.0).
end(model(s48)).
begin(model(s49)).
distance(439.3).
books(p1).
weight(p1, 13.81).
fragile(p2).
weight(p2, 12.69).
books(p3).
weight(p3, 14.37).
query(late, 1.0).
end(model(s49)).
begin(model(s50)).
distance(133.8).
food(p1).
weight(p1, 9.53).
food(p2).
weight(p2, 1.37).
books(p3).
weight(p3, 9.41).
query(late, 0.0).
end(model(s50)).
begin(model(s51)).
distance(688.8).
books(p1).
weight(p1, 24.25).
fragile(p2).
weight(p2, 13.13).
books(p3).
weight(p3, 23.85).
query(late, 1.0).
end(model(s51)).
begin(model(s52)).
distance(613.0).
fragile(p1).
weight(p1, 1.69).
fragile(p2).
weight(p2, 7.54).
food(p3).
weight(p3, 14.93).
food(p4).
weight(p4, 9.12).
food(p5).
weight(p5, 18.68).
query(late, 0.0).
end(model(s52)).
begin(model(s53)).
distance(794.9).
books(p1).
weight(p1, 10.46).
fragile(p2).
weight(p2, 23.56).
query(late, 1.0).
end(model(s53)).
begin(model(s54)).
distance(710.6).
books(p1).
weight(p1, 14.95).
books(p2).
weight(p2, 6.28).
books(p3).
weight(p3, 22.39).
books(p4).
weight(p4, 14.7).
query(late, 0.0).
end(model(s54)).
begin(model(s55)).
distance(487.9).
books(p1).
weight(p1, 19.19).
fragile(p2).
weight(p2, 18.2).
query(late, 1.0).
end(model(s55)).
begin(model(s56)).
distance(496.4).
fragile(p1).
weight(p1, 4.59).
fragile(p2).
weight(p2, 7.6).
food(p3).
weight(p3, 7.47).
fragile(p4).
weight(p4, 7.49).
query(late, 0.0).
end(model(s56)).
begin(model(s57)).
distance(793.7).
books(p1).
weight(p1, 7.0).
fragile(p2).
weight(p2, 6.64).
food(p3).
weight(p3, 1.67).
books(p4).
weight(p4, 20.3).
query(late, 0.0).
end(model(s57)).
begin(model(s58)).
distance(278.0).
books(p1).
weight(p1, 21.2).
food(p2).
weight(p2, 5.04).
food(p3).
weight(p3, 14.43).
books(p4).
weight(p4, 16.28).
food(p5).
weight(p5, 9.74).
query(late, 0.0).
end(model(s58)).
begin(model(s59)).
distance(677.9).
fragile(p1).
weight(p1, 20.48).
books(p2).
weight(p2, 9.75).
fragile(p3).
weight(p3, 10.53).
food(p4).
weight(p4, 6.31).
food(p5).
weight(p5, 8.29).
query(late, 1.0).
end(model(s59)).
begin(model(s60)).
distance(629.4).
books(p1).
weight(p1, 14.31).
food(p2).
weight(p2, 11.87).
fragile(p3).
weight(p3, 13.4).
query(late, 1.0).
end(model(s60)).
begin(model(s61)).
distance(220.8).
food(p1).
weight(p1, 23.87).
food(p2).
weight(p2, 6.97).
fragile(p3).
weight(p3, 13.21).
food(p4).
weight(p4, 22.02).
fragile(p5).
weight(p5, 5.85).
query(late, 1.0).
end(model(s61)).
begin(model(s62)).
distance(134.4).
fragile(p1).
weight(p1, 9.09).
food(p2).
weight(p2, 14.08).
query(late, 0.0).
end(model(s62)).
begin(model(s63)).
distance(172.8).
fragile(p1).
weight(p1, 12.77).
food(p2).
weight(p2, 3.29).
query(late, 1.0).
end(model(s63)).
begin(model(s64)).
distance(547.6).
food(p1).
weight(p1, 21.4).
fragile(p2).
weight(p2, 1.4).
books(p3).
weight(p3, 4.01).
query(late, 0.0).
end(model(s64)).
begin(model(s65)).
distance(311.2).
food(p1).
weight(p1, 24.5).
food(p2).
weight(p2, 8.96).
books(p3).
weight(p3, 24.04).
query(late, 0.0).
end(model(s65)).
begin(model(s66)).
distance(780.1).
fragile(p1).
weight(p1, 23.67).
fragile(p2).
weight(p2, 4.77).
fragile(p3).
weight(p3, 17.98).
fragile(p4).
weight(p4, 9.73).
fragile(p5).
weight(p5, 8.06).
query(late, 1.0).
end(model(s66)).
begin(model(s67)).
distance(288.0).
food(p1).
weight(p1, 17.45).
food(p2).
weight(p2, 24.79).
food(p3).
weight(p3, 12.54).
books(p4).
weight(p4, 9.72).
query(late, 0.0).
end(model(s67)).
begin(model(s68)).
distance(134.2).
fragile(p1).
weight(p1, 16.9).
food(p2).
weight(p2, 9.03).
fragile(p3).
weight(p3, 19.22).
query(late, 1.0).
end(model(s68)).
begin(model(s69)).
distance(750.4).
food(p1).
weight(p1, 20.3).
food(p2).
weight(p2, 18.69).
books(p3).
weight(p3, 17.89).
query(late, 0.0).
end(model(s69)).
begin(model(s70)).
distance(593.5).
fragile(p1).
weight(p1, 7.62).
food(p2).
weight(p2, 21.52).
food(p3).
weight(p3, 7.44).
fragile(p4).
weight(p4, 20.55).
books(p5).
weight(p5, 10.05).
query(late, 1.0).
end(model(s70)).
begin(model(s71)).
distance(587.3).
food(p1).
weight(p1, 9.88).
fragile(p2).
weight(p2, 12.32).
food(p3).
weight(p3, 23.05).
books(p4).
weight(p4, 3.62).
books(p5).
weight(p5, 11.11).
query(late, 0.0).
end(model(s71)).
begin(model(s72)).
distance(137.2).
books(p1).
weight(p1, 17.2).
books(p2).
weight(p2, 22.4).
food(p3).
weight(p3, 8.07).
books(p4).
weight(p4, 2.17).
query(late, 0.0).
end(model(s72)).
begin(model(s73)).
distance(666.3).
books(p1).
weight(p1, 22.92).
food(p2).
weight(p2, 5.25).
books(p3).
weight(p3, 17.77).
query(late, 0.0).
end(model(s73)).
begin(model(s74)).
distance(506.7).
books(p1).
weight(p1, 14.91).
books(p2).
weight(p2, 12.49).
fragile(p3).
weight(p3, 10.71).
query(late, 0.0).
end(model(s74)).
begin(model(s75)).
distance(457.4).
food(p1).
weight(p1, 11.31).
fragile(p2).
weight(p2, 9.53).
fragile(p3).
weight(p3, 13.3).
fragile(p4).
weight(p4, 22.77).
query(late, 1.0).
end(model(s75)).
begin(model(s76)).
distance(654.7).
books(p1).
weight(p1, 19.56).
food(p2).
weight(p2, 1.64).
books(p3).
weight(p3, 7.67).
query(late, 0.0).
end(model(s76)).
begin(model(s77)).
distance(130.7).
food(p1).
weight(p1, 9.34).
food(p2).
weight(p2, 19.14).
query(late, 0.0).
end(model(s77)).
begin(model(s78)).
distance(717.0).
books(p1).
weight(p1, 0.7).
food(p2).
weight(p2, 18.45).
books(p3).
weight(p3, 11.09).
query(late, 0.0).
end(model(s78)).
begin(model(s79)).
distance(478.3).
fragile(p1).
weight(p1, 24.05).
fragile(p2).
weight(p2, 7.62).
query(late, 1.0).
end(model(s79)).
begin(model(s80)).
distance(252.2).
food(p1).
weight(p1, 14.33).
fragile(p2).
weight(p2, 21.23).
food(p3).
weight(p3, 21.27).
food(p4).
weight(p4, 6.31).
food(p5).
weight(p5, 21.94).
query(late, 1.0).
end(model(s80)).
begin(model(s81)).
distance(384.2).
fragile(p1).
weight(p1, 18.15).
fragile(p2).
weight(p2, 19.13).
fragile(p3).
weight(p3, 6.52).
books(p4).
weight(p4, 6.79).
food(p5).
weight(p5, 6.25).
query(late, 1.0).
end(model(s81)).
begin(model(s82)).
distance(179.9).
food(p1).
weight(p1, 15.88).
fragile(p2).
weight(p2, 2.73).
books(p3).
weight(p3, 16.52).
food(p4).
weight(p4, 17.44).
query(late, 0.0).
end(model(s82)).
begin(model(s83)).
distance(173.6).
books(p1).
weight(p1, 9.94).
food(p2).
weight(p2, 22.14).
query(late, 0.0).
end(model(s83)).
begin(model(s84)).
distance(558.6).
fragile(p1).
weight(p1, 5.08).
fragile(p2).
weight(p2, 17.52).
food(p3).
weight(p3, 13.68).
food(p4).
weight(p4, 1.98).
query(late, 1.0).
end(model(s84)).
begin(model(s85)).
distance(412.0).
fragile(p1).
weight(p1, 14.01).
fragile(p2).
weight(p2, 1.65).
food(p3).
weight(p3, 13.14).
food(p4).
weight(p4, 4.01).
food(p5).
weight(p5, 13.7).
query(late, 1.0).
end(model(s85)).
begin(model(s86)).
distance(172.3).
food(p1).
weight(p1, 3.16).
food(p2).
weight(p2, 3.21).
food(p3).
weight(p3, 9.66).
query(late, 0.0).
end(model(s86)).
begin(model(s87)).
distance(530.6).
books(p1).
weight(p1, 6.58).
books(p2).
weight(p2, 10.89).
fragile(p3).
weight(p3, 5.43).
food(p4).
weight(p4, 6.34).
query(late, 0.0).
end(model(s87)).
begin(model(s88)).
distance(663.7).
fragile(p1).
weight(p1, 15.12).
books(p2).
weight(p2, 18.19).
books(p3).
weight(p3, 16.54).
food(p4).
weight(p4, 7.13).
query(late, 1.0).
end(model(s88)).
begin(model(s89)).
distance(252.6).
books(p1).
weight(p1, 6.68).
food(p2).
weight(p2, 19.38).
fragile(p3).
weight(p3, 10.13).
query(late, 0.0).
end(model(s89)).
begin(model(s90)).
distance(137.7).
fragile(p1).
weight(p1, 15.26).
food(p2).
weight(p2, 9.12).
fragile(p3).
weight(p3, 5.19).
query(late, 1.0).
end(model(s90)).
begin(model(s91)).
distance(413.6).
fragile(p1).
weight(p1, 8.76).
fragile(p2).
weight(p2, 6.37).
fragile(p3).
weight(p3, 14.31).
books(p4).
weight(p4, 23.91).
fragile(p5).
weight(p5, 23.42).
query(late, 1.0).
end(model(s91)).
begin(model(s92)).
distance(145.5).
food(p1).
weight(p1, 21.88).
fragile(p2).
weight(p2, 5.08).
query(late, 0.0).
end(model(s92)).
begin(model(s93)).
distance(646.6).
books(p1).
weight(p1, 12.02).
food(p2).
weight(p2, 5.11).
food(p3).
weight(p3, 13.71).
food(p4).
weight(p4, 11.03).
query(late, 0.0).
end(model(s93)).
begin(model(s94)).
distance(226.3).
books(p1).
weight(p1, 1.32).
books(p2).
weight(p2, 24.29).
books(p3).
weight(p3, 19.37).
food(p4).
weight(p4, 3.07).
query(late, 0.0).
end(model(s94)).
begin(model(s95)).
distance(388.4).
fragile(p1).
weight(p1, 24.52).
food(p2).
weight(p2, 21.39).
food(p3).
weight(p3, 12.14).
fragile(p4).
weight(p4, 4.11).
fragile(p5).
weight(p5, 16.76).
query(late, 1.0).
end(model(s95)).
begin(model(s96)).
distance(512.0).
fragile(p1).
weight(p1, 11.29).
books(p2).
weight(p2, 6.56).
books(p3).
weight(p3, 23.09).
food(p4).
weight(p4, 19.95).
query(late, 0.0).
end(model(s96)).
begin(model(s97)).
distance(504.4).
books(p1).
weight(p1, 12.23).
books(p2).
weight(p2, 3.89).
query(late, 0.0).
end(model(s97)).
begin(model(s98)).
distance(648.1).
fragile(p1).
weight(p1, 19.57).
fragile(p2).
weight(p2, 23.17).
query(late, 1.0).
end(model(s98)).
begin(model(s99)).
distance(474.6).
fragile(p1).
weight(p1, 11.04).
books(p2).
weight(p2, 8.0).
query(late, 0.0).
end(model(s99)).
begin(model(s100)).
distance(331.5).
food(p1).
weight(p1, 11.24).
books(p2).
weight(p2, 2.55).
food(p3).
weight(p3, 22.01).
query(late, 0.0).
end(model(s100)).
begin(model(s101)).
distance(679.1).
fragile(p1).
weight(p1, 19.43).
books(p2).
weight(p2, 17.54).
food(p3).
weight(p3, 21.07).
query(late, 1.0).
end(model(s101)).
begin(model(s102)).
distance(384.5).
food(p1).
weight(p1, 12.99).
fragile(p2).
weight(p2, 1.26).
books(p3).
weight(p3, 14.13).
books(p4).
weight(p4, 4.65).
books(p5).
weight(p5, 4.96).
query(late, 0.0).
end(model(s102)).
begin(model(s103)).
distance(513.0).
books(p1).
weight(p1, 21.37).
fragile(p2).
weight(p2, 1.34).
fragile(p3).
weight(p3, 2.94).
query(late, 0.0).
end(model(s103)).
begin(model(s104)).
distance(116.6).
books(p1).
weight(p1, 15.25).
food(p2).
weight(p2, 13.57).
fragile(p3).
weight(p3, 18.44).
fragile(p4).
weight(p4, 17.44).
food(p5).
weight(p5, 14.95).
query(late, 1.0).
end(model(s104)).
begin(model(s105)).
distance(360.0).
food(p1).
weight(p1, 7.38).
books(p2).
weight(p2, 11.28).
fragile(p3).
weight(p3, 18.52).
fragile(p4).
weight(p4, 10.25).
books(p5).
weight(p5, 22.37).
query(late, 1.0).
end(model(s105)).
begin(model(s106)).
distance(485.3).
books(p1).
weight(p1, 16.26).
books(p2).
weight(p2, 17.74).
fragile(p3).
weight(p3, 12.78).
fragile(p4).
weight(p4, 6.52).
query(late, 1.0).
end(model(s106)).
begin(model(s107)).
distance(349.8).
fragile(p1).
weight(p1, 17.82).
books(p2).
weight(p2, 6.04).
food(p3).
weight(p3, 24.05).
query(late, 1.0).
end(model(s107)).
begin(model(s108)).
distance(614.7).
books(p1).
weight(p1, 17.87).
food(p2).
weight(p2, 16.56).
query(late, 0.0).
end(model(s108)).
begin(model(s109)).
distance(466.5).
books(p1).
weight(p1, 24.04).
books(p2).
weight(p2, 22.42).
food(p3).
weight(p3, 23.31).
food(p4).
weight(p4, 14.51).
query(late, 0.0).
end(model(s109)).
begin(model(s110)).
distance(754.3).
fragile(p1).
weight(p1, 14.62).
books(p2).
weight(p2, 3.55).
books(p3).
weight(p3, 21.17).
fragile(p4).
weight(p4, 15.71).
query(late, 1.0).
end(model(s110)).
begin(model(s111)).
distance(175.8).
books(p1).
weight(p1, 10.12).
food(p2).
weight(p2, 8.36).
books(p3).
weight(p3, 9.44).
query(late, 0.0).
end(model(s111)).
begin(model(s112)).
distance(327.1).
books(p1).
weight(p1, 15.87).
food(p2).
weight(p2, 6.96).
books(p3).
weight(p3, 9.63).
food(p4).
weight(p4, 20.92).
query(late, 0.0).
end(model(s112)).
begin(model(s113)).
distance(727.7).
fragile(p1).
weight(p1, 21.09).
books(p2).
weight(p2, 9.66).
food(p3).
weight(p3, 7.29).
query(late, 1.0).
end(model(s113)).
begin(model(s114)).
distance(439.7).
food(p1).
weight(p1, 20.9).
fragile(p2).
weight(p2, 10.12).
books(p3).
weight(p3, 24.56).
query(late, 0.0).
end(model(s114)).
begin(model(s115)).
distance(175.1).
food(p1).
weight(p1, 3.36).
food(p2).
weight(p2, 24.93).
books(p3).
weight(p3, 1.42).
query(late, 0.0).
end(model(s115)).
begin(model(s116)).
distance(451.3).
books(p1).
weight(p1, 10.25).
food(p2).
weight(p2, 22.87).
fragile(p3).
weight(p3, 24.58).
food(p4).
weight(p4, 14.13).
query(late, 1.0).
end(model(s116)).
begin(model(s117)).
distance(413.6).
fragile(p1).
weight(p1, 24.77).
fragile(p2).
weight(p2, 5.11).
fragile(p3).
weight(p3, 0.63).
query(late, 1.0).
end(model(s117)).
begin(model(s118)).
distance(550.8).
books(p1).
weight(p1, 2.28).
fragile(p2).
weight(p2, 19.04).
fragile(p3).
weight(p3, 7.37).
food(p4).
weight(p4, 15.92).
query(late, 1.0).
end(model(s118)).
begin(model(s119)).
distance(723.2).
fragile(p1).
weight(p1, 23.67).
food(p2).
weight(p2, 12.12).
fragile(p3).
weight(p3, 4.46).
fragile(p4).
weight(p4, 9.03).
query(late, 1.0).
end(model(s119)).
begin(model(s120)).
distance(139.2).
books(p1).
weight(p1, 23.92).
fragile(p2).
weight(p2, 24.56).
fragile(p3).
weight(p3, 6.73).
books(p4).
weight(p4, 15.46).
query(late, 1.0).
end(model(s120)).
begin(model(s121)).
distance(189.3).
fragile(p1).
weight(p1, 24.4).
food(p2).
weight(p2, 20.06).
fragile(p3).
weight(p3, 17.67).
books(p4).
weight(p4, 7.66).
books(p5).
weight(p5, 5.33).
query(late, 1.0).
end(model(s121)).
begin(model(s122)).
distance(233.0).
food(p1).
weight(p1, 18.89).
food(p2).
weight(p2, 23.63).
query(late, 0.0).
end(model(s122)).
begin(model(s123)).
distance(135.2).
books(p1).
weight(p1, 11.96).
fragile(p2).
weight(p2, 17.8).
food(p3).
weight(p3, 24.09).
books(p4).
weight(p4, 10.25).
food(p5).
weight(p5, 20.67).
query(late, 1.0).
end(model(s123)).
begin(model(s124)).
distance(121.8).
books(p1).
weight(p1, 16.32).
fragile(p2).
weight(p2, 1.0).
query(late, 0.0).
end(model(s124)).
begin(model(s125)).
distance(464.0).
books(p1).
weight(p1, 14.89).
food(p2).
weight(p2, 18.9).
books(p3).
weight(p3, 19.04).
fragile(p4).
weight(p4, 7.08).
books(p5).
weight(p5, 2.56).
query(late, 0.0).
end(model(s125)).
begin(model(s126)).
distance(122.1).
food(p1).
weight(p1, 9.28).
food(p2).
weight(p2, 5.51).
query(late, 0.0).
end(model(s126)).
begin(model(s127)).
distance(762.6).
books(p1).
weight(p1, 1.26).
books(p2).
weight(p2, 14.12).
books(p3).
weight(p3, 21.95).
books(p4).
weight(p4, 16.43).
query(late, 0.0).
end(model(s127)).
begin(model(s128)).
distance(455.6).
fragile(p1).
weight(p1, 18.49).
books(p2).
weight(p2, 22.67).
books(p3).
weight(p3, 4.24).
query(late, 1.0).
end(model(s128)).
begin(model(s129)).
distance(608.7).
food(p1).
weight(p1, 11.83).
books(p2).
weight(p2, 2.67).
query(late, 0.0).
end(model(s129)).
begin(model(s130)).
distance(368.8).
books(p1).
weight(p1, 5.15).
food(p2).
weight(p2, 19.75).
query(late, 0.0).
end(model(s130)).
begin(model(s131)).
distance(538.7).
books(p1).
weight(p1, 5.22).
books(p2).
weight(p2, 0.78).
food(p3).
weight(p3, 10.37).
books(p4).
weight(p4, 16.65).
books(p5).
weight(p5, 7.12).
query(late, 0.0).
end(model(s131)).
begin(model(s132)).
distance(387.5).
books(p1).
weight(p1, 14.58).
books(p2).
weight(p2, 2.22).
query(late, 0.0).
end(model(s132)).
begin(model(s133)).
distance(683.2).
food(p1).
weight(p1, 21.57).
fragile(p2).
weight(p2, 16.94).
books(p3).
weight(p3, 18.0).
books(p4).
weight(p4, 8.02).
query(late, 1.0).
end(model(s133)).
begin(model(s134)).
distance(589.0).
fragile(p1).
weight(p1, 24.91).
books(p2).
weight(p2, 8.71).
query(late, 1.0).
end(model(s134)).
begin(model(s135)).
distance(165.1).
fragile(p1).
weight(p1, 21.6).
books(p2).
weight(p2, 1.84).
books(p3).
weight(p3, 12.82).
food(p4).
weight(p4, 5.32).
query(late, 1.0).
end(model(s135)).
begin(model(s136)).
distance(707.4).
books(p1).
weight(p1, 1.71).
books(p2).
weight(p2, 12.67).
fragile(p3).
weight(p3, 8.8).
books(p4).
weight(p4, 13.44).
books(p5).
weight(p5, 18.34).
query(late, 0.0).
end(model(s136)).
begin(model(s137)).
distance(373.3).
books(p1).
weight(p1, 18.61).
books(p2).
weight(p2, 7.02).
food(p3).
weight(p3, 2.22).
food(p4).
weight(p4, 17.57).
fragile(p5).
weight(p5, 13.07).
query(late, 1.0).
end(model(s137)).
begin(model(s138)).
distance(446.8).
books(p1).
weight(p1, 6.99).
books(p2).
weight(p2, 19.27).
books(p3).
weight(p3, 6.88).
fragile(p4).
weight(p4, 3.17).
books(p5).
weight(p5, 23.67).
query(late, 0.0).
end(model(s138)).
begin(model(s139)).
distance(185.8).
fragile(p1).
weight(p1, 1.66).
books(p2).
weight(p2, 21.98).
query(late, 0.0).
end(model(s139)).
begin(model(s140)).
distance(493.0).
food(p1).
weight(p1, 21.01).
books(p2).
weight(p2, 23.18).
books(p3).
weight(p3, 3.79).
fragile(p4).
weight(p4, 12.38).
books(p5).
weight(p5, 18.83).
query(late, 1.0).
end(model(s140)).
begin(model(s141)).
distance(306.9).
fragile(p1).
weight(p1, 21.94).
fragile(p2).
weight(p2, 14.83).
query(late, 1.0).
end(model(s141)).
begin(model(s142)).
distance(798.0).
food(p1).
weight(p1, 18.8).
books(p2).
weight(p2, 5.47).
fragile(p3).
weight(p3, 5.94).
query(late, 0.0).
end(model(s142)).
begin(model(s143)).
distance(738.5).
food(p1).
weight(p1, 15.15).
fragile(p2).
weight(p2, 12.45).
books(p3).
weight(p3, 15.28).
books(p4).
weight(p4, 23.04).
fragile(p5).
weight(p5, 18.65).
query(late, 1.0).
end(model(s143)).
begin(model(s144)).
distance(219.3).
books(p1).
weight(p1, 3.95).
books(p2).
weight(p2, 12.81).
books(p3).
weight(p3, 20.38).
fragile(p4).
weight(p4, 7.61).
query(late, 0.0).
end(model(s144)).
begin(model(s145)).
distance(669.7).
fragile(p1).
weight(p1, 9.85).
fragile(p2).
weight(p2, 20.49).
fragile(p3).
weight(p3, 14.12).
query(late, 1.0).
end(model(s145)).
begin(model(s146)).
distance(752.6).
food(p1).
weight(p1, 5.49).
fragile(p2).
weight(p2, 14.31).
food(p3).
weight(p3, 11.88).
query(late, 1.0).
end(model(s146)).
begin(model(s147)).
distance(199.8).
food(p1).
weight(p1, 24.3).
books(p2).
weight(p2, 8.09).
food(p3).
weight(p3, 20.1).
fragile(p4).
weight(p4, 2.57).
query(late, 0.0).
end(model(s147)).
begin(model(s148)).
distance(562.1).
food(p1).
weight(p1, 1.9).
food(p2).
weight(p2, 15.55).
books(p3).
weight(p3, 12.98).
books(p4).
weight(p4, 23.1).
query(late, 0.0).
end(model(s148)).
begin(model(s149)).
distance(411.0).
books(p1).
weight(p1, 15.01).
food(p2).
weight(p2, 19.15).
fragile(p3).
weight(p3, 6.23).
books(p4).
weight(p4, 24.61).
query(late, 0.0).
end(model(s149)).
begin(model(s150)).
distance(395.7).
fragile(p1).
weight(p1, 3.49).
books(p2).
weight(p2, 21.72).
food(p3).
weight(p3, 15.91).
books(p4).
weight(p4, 21.37).
query(late, 0.0).
end(model(s150)).
begin(model(s151)).
distance(662.3).
fragile(p1).
weight(p1, 24.38).
food(p2).
weight(p2, 7.4).
fragile(p3).
weight(p3, 11.97).
books(p4).
weight(p4, 14.69).
fragile(p5).
weight(p5, 4.26).
query(late, 1.0).
end(model(s151)).
begin(model(s152)).
distance(399.9).
food(p1).
weight(p1, 24.7).
fragile(p2).
weight(p2, 16.9).
books(p3).
weight(p3, 24.29).
books(p4).
weight(p4, 7.1).
fragile(p5).
weight(p5, 3.81).
query(late, 1.0).
end(model(s152)).
begin(model(s153)).
distance(346.4).
books(p1).
weight(p1, 3.05).
fragile(p2).
weight(p2, 10.37).
food(p3).
weight(p3, 14.59).
fragile(p4).
weight(p4, 22.56).
books(p5).
weight(p5, 1.79).
query(late, 1.0).
end(model(s153)).
begin(model(s154)).
distance(359.7).
fragile(p1).
weight(p1, 12.27).
food(p2).
weight(p2, 15.24).
food(p3).
weight(p3, 21.37).
query(late, 0.0).
end(model(s154)).
begin(model(s155)).
distance(500.9).
books(p1).
weight(p1, 11.57).
books(p2).
weight(p2, 5.27).
books(p3).
weight(p3, 11.13).
food(p4).
weight(p4, 8.12).
fragile(p5).
weight(p5, 4.87).
query(late, 0.0).
end(model(s155)).
begin(model(s156)).
distance(137.0).
books(p1).
weight(p1, 18.72).
fragile(p2).
weight(p2, 14.19).
query(late, 1.0).
end(model(s156)).
begin(model(s157)).
distance(578.7).
food(p1).
weight(p1, 6.72).
fragile(p2).
weight(p2, 9.71).
fragile(p3).
weight(p3, 5.41).
food(p4).
weight(p4, 3.2).
query(late, 0.0).
end(model(s157)).
begin(model(s158)).
distance(582.8).
food(p1).
weight(p1, 16.68).
food(p2).
weight(p2, 9.06).
query(late, 0.0).
end(model(s158)).
begin(model(s159)).
distance(481.7).
fragile(p1).
weight(p1, 10.06).
books(p2).
weight(p2, 20.76).
query(late, 0.0).
end(model(s159)).
begin(model(s160)).
distance(581.1).
food(p1).
weight(p1, 24.76).
fragile(p2).
weight(p2, 5.12).
query(late, 0.0).
end(model(s160)).
begin(model(s161)).
distance(720.0).
books(p1).
weight(p1, 21.64).
books(p2).
weight(p2, 17.08).
fragile(p3).
weight(p3, 17.89).
query(late, 1.0).
end(model(s161)).
begin(model(s162)).
distance(675.8).
fragile(p1).
weight(p1, 13.82).
fragile(p2).
weight(p2, 9.47).
food(p3).
weight(p3, 1.38).
food(p4).
weight(p4, 5.48).
food(p5).
weight(p5, 8.22).
query(late, 1.0).
end(model(s162)).
begin(model(s163)).
distance(733.0).
books(p1).
weight(p1, 9.9).
books(p2).
weight(p2, 20.8).
food(p3).
weight(p3, 4.7).
fragile(p4).
weight(p4, 16.78).
query(late, 1.0).
end(model(s163)).
begin(model(s164)).
distance(424.4).
books(p1).
weight(p1, 21.54).
food(p2).
weight(p2, 21.85).
fragile(p3).
weight(p3, 19.37).
query(late, 1.0).
end(model(s164)).
begin(model(s165)).
distance(356.1).
books(p1).
weight(p1, 20.65).
food(p2).
weight(p2, 24.13).
fragile(p3).
weight(p3, 7.81).
fragile(p4).
weight(p4, 21.86).
food(p5).
weight(p5, 19.86).
query(late, 1.0).
end(model(s165)).
begin(model(s166)).
distance(268.6).
fragile(p1).
weight(p1, 16.17).
fragile(p2).
weight(p2, 16.05).
food(p3).
weight(p3, 8.86).
fragile(p4).
weight(p4, 18.8).
fragile(p5).
weight(p5, 10.66).
query(late, 1.0).
end(model(s166)).
begin(model(s167)).
distance(637.7).
food(p1).
weight(p1, 8.14).
books(p2).
weight(p2, 19.68).
fragile(p3).
weight(p3, 24.16).
books(p4).
weight(p4, 24.9).
query(late, 1.0).
end(model(s167)).
begin(model(s168)).
distance(595.1).
fragile(p1).
weight(p1, 7.97).
food(p2).
weight(p2, 13.28).
query(late, 0.0).
end(model(s168)).
begin(model(s169)).
distance(392.9).
books(p1).
weight(p1, 17.75).
books(p2).
weight(p2, 3.23).
books(p3).
weight(p3, 3.36).
books(p4).
weight(p4, 14.1).
fragile(p5).
weight(p5, 17.07).
query(late, 1.0).
end(model(s169)).
begin(model(s170)).
distance(601.8).
food(p1).
weight(p1, 2.13).
food(p2).
weight(p2, 5.15).
books(p3).
weight(p3, 7.03).
query(late, 0.0).
end(model(s170)).
begin(model(s171)).
distance(325.2).
books(p1).
weight(p1, 4.02).
fragile(p2).
weight(p2, 8.38).
books(p3).
weight(p3, 13.95).
query(late, 0.0).
end(model(s171)).
begin(model(s172)).
distance(464.0).
books(p1).
weight(p1, 13.15).
fragile(p2).
weight(p2, 17.83).
food(p3).
weight(p3, 18.05).
food(p4).
weight(p4, 1.96).
query(late, 1.0).
end(model(s172)).
begin(model(s173)).
distance(731.0).
food(p1).
weight(p1, 4.63).
books(p2).
weight(p2, 9.6).
query(late, 0.0).
end(model(s173)).
begin(model(s174)).
distance(128.9).
books(p1).
weight(p1, 0.61).
books(p2).
weight(p2, 22.14).
food(p3).
weight(p3, 23.71).
fragile(p4).
weight(p4, 22.65).
query(late, 1.0).
end(model(s174)).
begin(model(s175)).
distance(446.9).
fragile(p1).
weight(p1, 15.11).
books(p2).
weight(p2, 22.89).
books(p3).
weight(p3, 2.11).
query(late, 1.0).
end(model(s175)).
begin(model(s176)).
distance(334.3).
food(p1).
weight(p1, 20.8).
books(p2).
weight(p2, 23.96).
query(late, 0.0).
end(model(s176)).
begin(model(s177)).
distance(670.8).
fragile(p1).
weight(p1, 2.39).
books(p2).
weight(p2, 3.96).
books(p3).
weight(p3, 20.24).
food(p4).
weight(p4, 9.38).
query(late, 0.0).
end(model(s177)).
begin(model(s178)).
distance(506.7).
fragile(p1).
weight(p1, 23.8).
food(p2).
weight(p2, 2.04).
food(p3).
weight(p3, 20.92).
fragile(p4).
weight(p4, 6.58).
books(p5).
weight(p5, 11.77).
query(late, 1.0).
end(model(s178)).
begin(model(s179)).
distance(557.7).
books(p1).
weight(p1, 13.15).
fragile(p2).
weight(p2, 12.67).
food(p3).
weight(p3, 7.41).
query(late, 1.0).
end(model(s179)).
begin(model(s180)).
distance(148.6).
fragile(p1).
weight(p1, 6.98).
food(p2).
weight(p2, 11.21).
query(late, 0.0).
end(model(s180)).
begin(model(s181)).
distance(480.7).
books(p1).
weight(p1, 14.41).
food(p2).
weight(p2, 14.93).
food(p3).
weight(p3, 7.62).
fragile(p4).
weight(p4, 13.67).
food(p5).
weight(p5, 7.25).
query(late, 1.0).
end(model(s181)).
begin(model(s182)).
distance(352.2).
books(p1).
weight(p1, 3.62).
books(p2).
weight(p2, 15.3).
food(p3).
weight(p3, 9.22).
food(p4).
weight(p4, 16.86).
query(late, 0.0).
end(model(s182)).
begin(model(s183)).
distance(123.4).
food(p1).
weight(p1, 10.78).
food(p2).
weight(p2, 21.73).
query(late, 0.0).
end(model(s183)).
begin(model(s184)).
distance(224.3).
books(p1).
weight(p1, 2.62).
books(p2).
weight(p2, 1.31).
fragile(p3).
weight(p3, 23.21).
fragile(p4).
weight(p4, 24.57).
fragile(p5).
weight(p5, 19.14).
query(late, 1.0).
end(model(s184)).
begin(model(s185)).
distance(792.2).
food(p1).
weight(p1, 0.64).
books(p2).
weight(p2, 5.65).
food(p3).
weight(p3, 21.7).
food(p4).
weight(p4, 24.34).
query(late, 0.0).
end(model(s185)).
begin(model(s186)).
distance(319.8).
food(p1).
weight(p1, 12.65).
food(p2).
weight(p2, 16.94).
query(late, 0.0).
end(model(s186)).
begin(model(s187)).
distance(377.2).
food(p1).
weight(p1, 11.4).
fragile(p2).
weight(p2, 13.35).
query(late, 1.0).
end(model(s187)).
begin(model(s188)).
distance(766.4).
food(p1).
weight(p1, 5.0).
food(p2).
weight(p2, 2.41).
books(p3).
weight(p3, 16.58).
query(late, 0.0).
end(model(s188)).
begin(model(s189)).
distance(288.3).
food(p1).
weight(p1, 6.81).
fragile(p2).
weight(p2, 20.69).
books(p3).
weight(p3, 12.21).
books(p4).
weight(p4, 22.88).
query(late, 1.0).
end(model(s189)).
begin(model(s190)).
distance(582.5).
books(p1).
weight(p1, 2.7).
food(p2).
weight(p2, 23.31).
food(p3).
weight(p3, 19.51).
query(late, 0.0).
end(model(s190)).
begin(model(s191)).
distance(373.1).
books(p1).
weight(p1, 9.1).
food(p2).
weight(p2, 12.71).
fragile(p3).
weight(p3, 4.11).
fragile(p4).
weight(p4, 3.08).
query(late, 0.0).
end(model(s191)).
begin(model(s192)).
distance(510.3).
books(p1).
weight(p1, 11.54).
food(p2).
weight(p2, 5.91).
query(late, 0.0).
end(model(s192)).
begin(model(s193)).
distance(504.0).
books(p1).
weight(p1, 0.79).
fragile(p2).
weight(p2, 22.64).
fragile(p3).
weight(p3, 12.01).
books(p4).
weight(p4, 18.74).
books(p5).
weight(p5, 2.55).
query(late, 1.0).
end(model(s193)).
begin(model(s194)).
distance(780.6).
food(p1).
weight(p1, 3.26).
fragile(p2).
weight(p2, 7.22).
food(p3).
weight(p3, 22.89).
query(late, 0.0).
end(model(s194)).
begin(model(s195)).
distance(200.2).
books(p1).
weight(p1, 9.77).
fragile(p2).
weight(p2, 1.01).
query(late, 0.0).
end(model(s195)).
begin(model(s196)).
distance(744.8).
food(p1).
weight(p1, 14.27).
food(p2).
weight(p2, 14.02).
fragile(p3).
weight(p3, 6.98).
fragile(p4).
weight(p4, 13.99).
query(late, 1.0).
end(model(s196)).
begin(model(s197)).
distance(533.7).
food(p1).
weight(p1, 5.68).
fragile(p2).
weight(p2, 9.22).
fragile(p3).
weight(p3, 14.16).
food(p4).
weight(p4, 24.45).
food(p5).
weight(p5, 17.87).
query(late, 1.0).
end(model(s197)).
begin(model(s198)).
distance(153.1).
food(p1).
weight(p1, 13.52).
fragile(p2).
weight(p2, 22.9).
food(p3).
weight(p3, 13.49).
fragile(p4).
weight(p4, 1.47).
fragile(p5).
weight(p5, 6.0).
query(late, 1.0).
end(model(s198)).
begin(model(s199)).
distance(599.0).
food(p1).
weight(p1, 12.43).
fragile(p2).
weight(p2, 24.34).
books(p3).
weight(p3, 9.78).
query(late, 1.0).
end(model(s199)).
begin(model(s200)).
distance(134.8).
fragile(p1).
weight(p1, 13.2).
food(p2).
weight(p2, 17.25).
fragile(p3).
weight(p3, 15.92).
fragile(p4).
weight(p4, 22.17).
query(late, 1.0).
end(model(s200)).
begin(model(s201)).
distance(742.3).
food(p1).
weight(p1, 14.0).
books(p2).
weight(p2, 20.13).
books(p3).
weight(p3, 3.09).
fragile(p4).
weight(p4, 22.39).
food(p5).
weight(p5, 23.8).
query(late, 1.0).
end(model(s201)).
begin(model(s202)).
distance(765.9).
fragile(p1).
weight(p1, 6.47).
fragile(p2).
weight(p2, 24.15).
query(late, 1.0).
end(model(s202)).
begin(model(s203)).
distance(708.9).
fragile(p1).
weight(p1, 2.43).
fragile(p2).
weight(p2, 12.54).
query(late, 1.0).
end(model(s203)).
begin(model(s204)).
distance(791.9).
fragile(p1).
weight(p1, 12.91).
books(p2).
weight(p2, 7.5).
books(p3).
weight(p3, 22.67).
fragile(p4).
weight(p4, 8.1).
food(p5).
weight(p5, 10.81).
query(late, 1.0).
end(model(s204)).
begin(model(s205)).
distance(196.2).
fragile(p1).
weight(p1, 9.47).
food(p2).
weight(p2, 23.32).
fragile(p3).
weight(p3, 0.57).
fragile(p4).
weight(p4, 17.22).
query(late, 1.0).
end(model(s205)).
begin(model(s206)).
distance(493.3).
books(p1).
weight(p1, 2.77).
fragile(p2).
weight(p2, 14.3).
query(late, 1.0).
end(model(s206)).
begin(model(s207)).
distance(772.3).
fragile(p1).
weight(p1, 9.93).
books(p2).
weight(p2, 12.59).
books(p3).
weight(p3, 10.42).
query(late, 0.0).
end(model(s207)).
begin(model(s208)).
distance(395.3).
books(p1).
weight(p1, 6.51).
food(p2).
weight(p2, 20.34).
query(late, 0.0).
end(model(s208)).
begin(model(s209)).
distance(576.0).
fragile(p1).
weight(p1, 23.57).
books(p2).
weight(p2, 5.85).
query(late, 1.0).
end(model(s209)).
begin(model(s210)).
distance(745.7).
fragile(p1).
weight(p1, 23.59).
fragile(p2).
weight(p2, 11.88).
books(p3).
weight(p3, 2.21).
food(p4).
weight(p4, 23.91).
query(late, 1.0).
end(model(s210)).
begin(model(s211)).
distance(599.9).
books(p1).
weight(p1, 21.67).
fragile(p2).
weight(p2, 17.15).
food(p3).
weight(p3, 17.15).
query(late, 1.0).
end(model(s211)).
begin(model(s212)).
distance(162.9).
fragile(p1).
weight(p1, 17.99).
fragile(p2).
weight(p2, 1.49).
query(late, 1.0).
end(model(s212)).
begin(model(s213)).
distance(734.3).
fragile(p1).
weight(p1, 5.87).
fragile(p2).
weight(p2, 16.36).
books(p3).
weight(p3, 2.44).
books(p4).
weight(p4, 24.48).
fragile(p5).
weight(p5, 14.45).
query(late, 1.0).
end(model(s213)).
begin(model(s214)).
distance(146.1).
fragile(p1).
weight(p1, 5.87).
food(p2).
weight(p2, 7.94).
fragile(p3).
weight(p3, 20.9).
fragile(p4).
weight(p4, 15.1).
query(late, 1.0).
end(model(s214)).
begin(model(s215)).
distance(314.3).
food(p1).
weight(p1, 22.19).
food(p2).
weight(p2, 18.58).
food(p3).
weight(p3, 4.32).
fragile(p4).
weight(p4, 22.41).
fragile(p5).
weight(p5, 20.55).
query(late, 1.0).
end(model(s215)).
begin(model(s216)).
distance(703.8).
food(p1).
weight(p1, 2.08).
books(p2).
weight(p2, 10.39).
fragile(p3).
weight(p3, 9.59).
fragile(p4).
weight(p4, 4.89).
query(late, 0.0).
end(model(s216)).
begin(model(s217)).
distance(483.4).
food(p1).
weight(p1, 9.56).
food(p2).
weight(p2, 6.93).
query(late, 0.0).
end(model(s217)).
begin(model(s218)).
distance(187.0).
food(p1).
weight(p1, 3.02).
books(p2).
weight(p2, 15.39).
books(p3).
weight(p3, 3.0).
query(late, 0.0).
end(model(s218)).
begin(model(s219)).
distance(164.0).
food(p1).
weight(p1, 23.77).
books(p2).
weight(p2, 19.74).
fragile(p3).
weight(p3, 23.9).
query(late, 1.0).
end(model(s219)).
begin(model(s220)).
distance(503.9).
fragile(p1).
weight(p1, 5.65).
fragile(p2).
weight(p2, 13.33).
books(p3).
weight(p3, 3.83).
fragile(p4).
weight(p4, 7.83).
fragile(p5).
weight(p5, 23.46).
query(late, 1.0).
end(model(s220)).
begin(model(s221)).
distance(578.6).
fragile(p1).
weight(p1, 2.73).
food(p2).
weight(p2, 17.31).
query(late, 0.0).
end(model(s221)).
begin(model(s222)).
distance(726.9).
food(p1).
weight(p1, 16.12).
food(p2).
weight(p2, 7.95).
food(p3).
weight(p3, 16.09).
books(p4).
weight(p4, 7.88).
food(p5).
weight(p5, 17.77).
query(late, 0.0).
end(model(s222)).
begin(model(s223)).
distance(600.3).
books(p1).
weight(p1, 20.06).
food(p2).
weight(p2, 6.3).
query(late, 0.0).
end(model(s223)).
begin(model(s224)).
distance(455.3).
books(p1).
weight(p1, 7.26).
food(p2).
weight(p2, 14.62).
food(p3).
weight(p3, 10.14).
query(late, 0.0).
end(model(s224)).
begin(model(s225)).
distance(428.6).
food(p1).
weight(p1, 16.87).
fragile(p2).
weight(p2, 5.26).
fragile(p3).
weight(p3, 20.5).
books(p4).
weight(p4, 24.6).
query(late, 1.0).
end(model(s225)).
begin(model(s226)).
distance(644.1).
books(p1).
weight(p1, 14.92).
fragile(p2).
weight(p2, 23.13).
query(late, 1.0).
end(model(s226)).
begin(model(s227)).
distance(453.9).
books(p1).
weight(p1, 7.56).
food(p2).
weight(p2, 7.79).
query(late, 0.0).
end(model(s227)).
begin(model(s228)).
distance(693.1).
fragile(p1).
weight(p1, 14.51).
books(p2).
weight(p2, 4.23).
books(p3).
weight(p3, 15.1).
query(late, 1.0).
end(model(s228)).
begin(model(s229)).
distance(746.7).
fragile(p1).
weight(p1, 11.98).
books(p2).
weight(p2, 4.99).
query(late, 0.0).
end(model(s229)).
begin(model(s230)).
distance(498.9).
food(p1).
weight(p1, 14.11).
books(p2).
weight(p2, 24.51).
books(p3).
weight(p3, 24.5).
query(late, 0.0).
end(model(s230)).
begin(model(s231)).
distance(113.1).
fragile(p1).
weight(p1, 1.77).
food(p2).
weight(p2, 17.78).
query(late, 0.0).
end(model(s231)).
begin(model(s232)).
distance(252.9).
fragile(p1).
weight(p1, 7.55).
food(p2).
weight(p2, 14.69).
food(p3).
weight(p3, 7.8).
food(p4).
weight(p4, 10.48).
query(late, 0.0).
end(model(s232)).
begin(model(s233)).
distance(144.6).
books(p1).
weight(p1, 16.1).
food(p2).
weight(p2, 3.74).
food(p3).
weight(p3, 15.33).
fragile(p4).
weight(p4, 9.5).
books(p5).
weight(p5, 15.49).
query(late, 0.0).
end(model(s233)).
begin(model(s234)).
distance(608.6).
food(p1).
weight(p1, 15.58).
food(p2).
weight(p2, 6.44).
fragile(p3).
weight(p3, 16.27).
books(p4).
weight(p4, 12.6).
fragile(p5).
weight(p5, 10.92).
query(late, 1.0).
end(model(s234)).
begin(model(s235)).
distance(326.6).
books(p1).
weight(p1, 14.19).
books(p2).
weight(p2, 5.8).
fragile(p3).
weight(p3, 23.93).
books(p4).
weight(p4, 1.38).
query(late, 1.0).
end(model(s235)).
begin(model(s236)).
distance(606.0).
food(p1).
weight(p1, 24.14).
food(p2).
weight(p2, 24.95).
books(p3).
weight(p3, 9.23).
fragile(p4).
weight(p4, 4.35).
query(late, 0.0).
end(model(s236)).
begin(model(s237)).
distance(524.7).
books(p1).
weight(p1, 6.74).
books(p2).
weight(p2, 13.79).
books(p3).
weight(p3, 20.93).
food(p4).
weight(p4, 5.21).
query(late, 0.0).
end(model(s237)).
begin(model(s238)).
distance(646.2).
fragile(p1).
weight(p1, 4.87).
fragile(p2).
weight(p2, 8.87).
fragile(p3).
weight(p3, 2.7).
fragile(p4).
weight(p4, 9.61).
query(late, 0.0).
end(model(s238)).
begin(model(s239)).
distance(286.6).
food(p1).
weight(p1, 10.83).
fragile(p2).
weight(p2, 13.5).
fragile(p3).
weight(p3, 10.58).
query(late, 1.0).
end(model(s239)).
begin(model(s240)).
distance(779.5).
food(p1).
weight(p1, 8.57).
fragile(p2).
weight(p2, 13.77).
books(p3).
weight(p3, 11.63).
query(late, 1.0).
end(model(s240)).
