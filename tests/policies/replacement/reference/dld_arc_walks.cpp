// DLD-ARC: each branch of its pseudo-code, in its three modes. The circled numbers are the paper's.
#include "tests/policies/replacement/reference/walks.hpp"

namespace flashloom::reference {

std::vector<Walk> dld_arc_walks() {
  const auto mode = [](const char* value) { return ParameterValues({{"mode", std::string(value)}}); };
  return {
      {"dld_arc repaired: hits in all lists, and room made in every way",
       {"dld_arc", mode("repaired")},
       2,
       {{"wa", "m", "T1=A C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wb", "m", "T1=BA C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"c", "m", "T1=cB C1= D1=A T2= C2= D2= P=0 dc=0,0"},  // 8, 10: dirty, to D1; nothing is written
        {"d", "m", "T1=dc C1= D1=BA T2= C2= D2= P=0 dc=0,0"},
        {"a", "d-c", "T1=d C1=c D1=B T2=A C2= D2= P=1 dc=0,0"},   // 2 in D1: its data are there; 11: c to C1
        {"e", "m", "T1=ed C1= D1=B T2= C2= D2=A P=1 dc=1,1"},     // 5: both counters, C1's tail; |T1| = P: T2 gives
        {"f", "m-Bd", "T1=fe C1=d D1= T2= C2= D2=A P=1 dc=1,1"},  // 6, 7, 13: C1 empty: all of D1, less than a block
        {"a", "d-e", "T1=f C1=ed D1= T2=A C2= D2= P=0 dc=1,1"},   // 3 in D2: still dirty
        {"g", "m-f", "T1=g C1=fe D1= T2=A C2= D2= P=0 dc=2,2"},   // 5 with dirt nowhere: both counters even so
        {"h", "m-g", "T1=h C1=gf D1= T2=A C2= D2= P=0 dc=2,2"},   // dc1 = S, D1 empty: C1's tail; dc stays at S
        {"wa", "h", "T1=h C1=gf D1= T2=A C2= D2= P=0 dc=2,2"},    // 1
        {"f", "g", "T1=h C1=g D1= T2=f C2= D2=A P=1 dc=2,2"},     // 2 in C1: an identifier alone
        {"g", "g-f", "T1=h C1= D1= T2=g C2=f D2=A P=2 dc=2,2"},
        {"f", "g-h", "T1= C1=h D1= T2=fg C2= D2=A P=1 dc=2,2"},   // 3 in C2 and |T1| = P: T1 gives
        {"i", "m-Ag", "T1=i C1=h D1= T2=f C2=g D2= P=1 dc=2,1"},  // |L1| < S: i = 2; T1 empty: T2 gives
        {"j", "m-f", "T1=ji C1= D1= T2= C2=fg D2= P=1 dc=2,2"},
        {"k", "m-i", "T1=kj C1=i D1= T2= C2=f D2= P=1 dc=2,2"}}},  // C1 and D1 empty: the other i
      {"dld_arc repaired: an erase block at a time, and the counters",
       {"dld_arc", mode("repaired")},
       4,
       {{"wa", "m", "T1=A C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wb", "m", "T1=BA C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wc", "m", "T1=CBA C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wd", "m", "T1=DCBA C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"e", "m", "T1=eDCB C1= D1=A T2= C2= D2= P=0 dc=0,0"},
        {"f", "m", "T1=feDC C1= D1=BA T2= C2= D2= P=0 dc=0,0"},
        {"g", "m", "T1=gfeD C1= D1=CBA T2= C2= D2= P=0 dc=0,0"},
        {"h", "m", "T1=hgfe C1= D1=DCBA T2= C2= D2= P=0 dc=0,0"},     // |L1| = 2S
        {"i", "m-ABe", "T1=ihgf C1=e D1=DC T2= C2= D2= P=0 dc=1,0"},  // 12: one block from D1's tail
        {"j", "m-f", "T1=jihg C1=fe D1=DC T2= C2= D2= P=0 dc=1,0"},   // total 2S - 1: 8 alone
        {"k", "m-g", "T1=kjih C1=gf D1=DC T2= C2= D2= P=0 dc=2,1"},
        {"l", "m-h", "T1=lkji C1=hg D1=DC T2= C2= D2= P=0 dc=3,2"},
        {"m", "m-i", "T1=mlkj C1=ih D1=DC T2= C2= D2= P=0 dc=4,3"},
        {"n", "m-CDj", "T1=nmlk C1=jih D1= T2= C2= D2= P=0 dc=1,3"}}},  // dc1 = S: C1 is not empty, D1 is written
      {"dld_arc repaired: the tail of D1 as it comes, not by block",
       {"dld_arc", mode("repaired")},
       3,
       {{"wz", "m", "T1=Z C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wa", "m", "T1=AZ C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wy", "m", "T1=YAZ C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wb", "m", "T1=BYA C1= D1=Z T2= C2= D2= P=0 dc=0,0"},
        {"c", "m", "T1=cBY C1= D1=AZ T2= C2= D2= P=0 dc=0,0"},
        {"d", "m", "T1=dcB C1= D1=YAZ T2= C2= D2= P=0 dc=0,0"},
        {"e", "m-ZA", "T1=edc C1= D1=BY T2= C2= D2= P=0 dc=1,0"}}},
      {"dld_arc repaired: P is real, and falls by 1 at least",
       {"dld_arc", mode("repaired")},
       3,
       {{"a", "m", "T1=a C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"b", "m", "T1=ba C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"c", "m", "T1=cba C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"d", "m-a", "T1=dcb C1=a D1= T2= C2= D2= P=0 dc=0,0"},
        {"b", "h", "T1=dc C1=a D1= T2=b C2= D2= P=0 dc=0,0"},
        {"c", "h", "T1=d C1=a D1= T2=cb C2= D2= P=0 dc=0,0"},
        {"d", "h", "T1= C1=a D1= T2=dcb C2= D2= P=0 dc=0,0"},
        {"e", "m-b", "T1=e C1=a D1= T2=dc C2=b D2= P=0 dc=0,0"},
        {"f", "m-e", "T1=f C1=ea D1= T2=dc C2=b D2= P=0 dc=0,0"},
        {"f", "h", "T1= C1=ea D1= T2=fdc C2=b D2= P=0 dc=0,0"},
        {"g", "m-c", "T1=g C1=ea D1= T2=fd C2=c D2= P=0 dc=1,1"},  // |L1| < S: C2's tail
        {"g", "h", "T1= C1=ea D1= T2=gfd C2=c D2= P=0 dc=1,1"},
        {"h", "m-d", "T1=h C1=ea D1= T2=gf C2=d D2= P=0 dc=2,2"},
        {"i", "m-h", "T1=i C1=he D1= T2=gf C2=d D2= P=0 dc=3,3"},
        {"i", "h", "T1= C1=he D1= T2=igf C2=d D2= P=0 dc=3,3"},
        {"j", "m-f", "T1=j C1=he D1= T2=ig C2=f D2= P=0 dc=3,3"},  // D2 empty: C2's tail though dc2 = S
        {"j", "h", "T1= C1=he D1= T2=jig C2=f D2= P=0 dc=3,3"},
        {"h", "g-g", "T1= C1=e D1= T2=hji C2=gf D2= P=1 dc=3,3"},    // 1/2 is raised to 1
        {"e", "g-i", "T1= C1= D1= T2=ehj C2=igf D2= P=3 dc=3,3"},    // 2/1
        {"i", "g-j", "T1= C1= D1= T2=ieh C2=jgf D2= P=2 dc=3,3"}}},  // 0/3 is raised to 1
      {"dld_arc literal: as repaired, while it keeps its bounds",
       {"dld_arc", mode("literal")},
       2,
       {{"wa", "m", "T1=A C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wb", "m", "T1=BA C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"c", "m", "T1=cB C1= D1=A T2= C2= D2= P=0 dc=0,0"},
        {"d", "m", "T1=dc C1= D1=BA T2= C2= D2= P=0 dc=0,0"},
        {"a", "d-c", "T1=d C1=c D1=B T2=A C2= D2= P=1 dc=0,0"},
        {"e", "m", "T1=ed C1= D1=B T2= C2= D2=A P=1 dc=1,1"},
        {"f", "m-Bd", "T1=fe C1=d D1= T2= C2= D2=A P=1 dc=1,1"},
        {"a", "d-e", "T1=f C1=ed D1= T2=A C2= D2= P=0 dc=1,1"},
        {"g", "m-f", "T1=g C1=fe D1= T2=A C2= D2= P=0 dc=2,2"},
        {"h", "m-g", "T1=h C1=gfe D1= T2=A C2= D2= P=0 dc=1,2"},     // Write on an empty D1: total 2S + 1
        {"i", "m-h", "T1=i C1=hgfe D1= T2=A C2= D2= P=0 dc=1,2"}}},  // = 2S never fires again
      {"dld_arc literal: Replace picks an empty T2",
       {"dld_arc", mode("literal")},
       1,
       {{"a", "m", "T1=a C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"b", "m-a", "T1=b C1=a D1= T2= C2= D2= P=0 dc=0,0"},
        {"a", "g", "T1=b C1= D1= T2=a C2= D2= P=1 dc=0,0"},   // S + 1 pages
        {"c", "m", "T1=cb C1= D1= T2=a C2= D2= P=1 dc=1,0"},  // = S never fires again
        {"d", "m", "T1=dcb C1= D1= T2=a C2= D2= P=1 dc=1,0"}}},
      {"dld_arc repaired: Replace on an empty T2 takes T1",
       {"dld_arc", mode("repaired")},
       1,
       {{"a", "m", "T1=a C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"b", "m-a", "T1=b C1=a D1= T2= C2= D2= P=0 dc=0,0"},
        {"a", "g-b", "T1= C1=b D1= T2=a C2= D2= P=1 dc=0,0"}}},
      {"dld_arc literal: dc2 beyond S",
       {"dld_arc", mode("literal")},
       2,
       {{"a", "m", "T1=a C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"b", "m", "T1=ba C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"c", "m-a", "T1=cb C1=a D1= T2= C2= D2= P=0 dc=0,0"},
        {"wd", "m-b", "T1=Dc C1=ba D1= T2= C2= D2= P=0 dc=0,0"},
        {"e", "m-c", "T1=eD C1=cb D1= T2= C2= D2= P=0 dc=1,1"},
        {"f", "m", "T1=fe C1=c D1=D T2= C2= D2= P=0 dc=2,2"},
        {"g", "m-De", "T1=gf C1=ec D1= T2= C2= D2= P=0 dc=1,2"},
        {"h", "m-f", "T1=hg C1=fe D1= T2= C2= D2= P=0 dc=2,3"}}},
      {"dld_arc arc_bounded: |L1| <= S",
       {"dld_arc", mode("arc_bounded")},
       2,
       {{"a", "m", "T1=a C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"b", "m", "T1=ba C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"c", "m-a", "T1=cb C1= D1= T2= C2= D2= P=0 dc=0,0"},  // |T1| = S: its tail, forgotten
        {"wb", "h", "T1=c C1= D1= T2=B C2= D2= P=0 dc=0,0"},
        {"d", "m-c", "T1=d C1=c D1= T2=B C2= D2= P=0 dc=0,0"},
        {"e", "m-d", "T1=e C1=d D1= T2=B C2= D2= P=0 dc=1,1"},  // |L1| = S: the tail of C1
        {"d", "g", "T1=e C1= D1= T2=d C2= D2=B P=1 dc=1,1"},
        {"f", "m-d", "T1=fe C1= D1= T2= C2=d D2=B P=1 dc=1,1"},
        {"g", "m-e", "T1=gf C1= D1= T2= C2=d D2=B P=1 dc=1,1"},
        {"b", "d-f", "T1=g C1=f D1= T2=B C2=d D2= P=0 dc=1,1"},
        {"h", "m-g", "T1=h C1=g D1= T2=B C2=d D2= P=0 dc=2,2"},
        {"h", "h", "T1= C1=g D1= T2=hB C2=d D2= P=0 dc=2,2"},
        {"i", "m", "T1=i C1=g D1= T2=h C2= D2=B P=0 dc=2,2"}}},  // |L1| < S, total 2S: the tail of C2
      {"dld_arc arc_bounded: a sequential write goes out page by page",
       {"dld_arc", mode("arc_bounded")},
       2,
       {{"wa", "m", "T1=A C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wb", "m", "T1=BA C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wc", "m-A", "T1=CB C1= D1= T2= C2= D2= P=0 dc=0,0"},
        {"wd", "m-B", "T1=DC C1= D1= T2= C2= D2= P=0 dc=0,0"}}},
  };
}

std::vector<Walk> all_walks() {
  std::vector<Walk> all;
  for (std::vector<Walk> some : {textbook_walks(), ghost_walks(), flash_walks(), dld_arc_walks(), dld_walks()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace flashloom::reference
