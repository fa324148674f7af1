// Walks of the policies that remember evicted pages: 2Q, ARC, S3-FIFO, LIRS.
#include "tests/policies/replacement/reference/walks.hpp"

namespace flashloom::reference {

std::vector<Walk> ghost_walks() {
  return {
      {"two_q: Kin 1, Kout 2",
       {"two_q", {}},
       4,
       {{"a", "m", "A1in=a A1out= Am="},
        {"b", "m", "A1in=ba A1out= Am="},
        {"c", "m", "A1in=cba A1out= Am="},
        {"wd", "m", "A1in=Dcba A1out= Am="},
        {"e", "m-a", "A1in=eDcb A1out=a Am="},
        {"b", "h", "A1in=eDcb A1out=a Am="},  // in A1in: nothing is done
        {"a", "g-b", "A1in=eDc A1out=b Am=a"},
        {"b", "g-c", "A1in=eD A1out=c Am=ba"},
        {"f", "m-D", "A1in=fe A1out=dc Am=ba"},
        {"a", "h", "A1in=fe A1out=dc Am=ab"},
        {"g", "m-e", "A1in=gf A1out=ed Am=ab"},
        {"h", "m-f", "A1in=hg A1out=fe Am=ab"},
        {"f", "g-g", "A1in=h A1out=g Am=fab"},  // room is made before f leaves A1out, so e is dropped
        {"g", "g-b", "A1in=h A1out= Am=gfa"},   // |A1in| = Kin: Am's tail leaves, and is not remembered
        {"i", "m-a", "A1in=ih A1out= Am=gf"},
        {"a", "m-h", "A1in=ai A1out=h Am=gf"},
        {"wa", "h", "A1in=Ai A1out=h Am=gf"},
        {"b", "m-i", "A1in=bA A1out=ih Am=gf"},
        {"h", "g-A", "A1in=b A1out=ai Am=hgf"}}},
      {"arc",
       {"arc", {}},
       3,
       {{"a", "m", "T1=a T2= B1= B2= p=0"},
        {"b", "m", "T1=ba T2= B1= B2= p=0"},
        {"wc", "m", "T1=Cba T2= B1= B2= p=0"},
        {"a", "h", "T1=Cb T2=a B1= B2= p=0"},      // I
        {"d", "m-b", "T1=dC T2=a B1=b B2= p=0"},   // IV B
        {"b", "g-C", "T1=d T2=ba B1=c B2= p=1"},   // II: step 1
        {"e", "m-a", "T1=ed T2=b B1=c B2=a p=1"},  // |T1| = p, but not in B2: T2 gives
        {"a", "g-d", "T1=e T2=ab B1=dc B2= p=0"},  // III: step 1
        {"f", "m-e", "T1=f T2=ab B1=ed B2= p=0"},  // IV A, |T1| < c: B1's tail goes
        {"wa", "h", "T1=f T2=Ab B1=ed B2= p=0"},   // I in T2
        {"g", "m-f", "T1=g T2=Ab B1=fe B2= p=0"},
        {"f", "g-b", "T1=g T2=fA B1=e B2=b p=1"},
        {"e", "g-A", "T1=g T2=ef B1= B2=ab p=2"},
        {"b", "g-g", "T1= T2=bef B1=g B2=a p=1"},  // in B2 and |T1| = p: T1 gives
        {"h", "m-f", "T1=h T2=be B1=g B2=fa p=1"},
        {"g", "g-e", "T1=h T2=gb B1= B2=efa p=3"},  // II: step |B2|/|B1| = 2
        {"i", "m-b", "T1=ih T2=g B1= B2=bef p=3"},  // IV B, total 2c: B2's tail goes
        {"j", "m-g", "T1=jih T2= B1= B2=gbe p=3"},
        {"k", "m-h", "T1=kji T2= B1= B2=gbe p=3"},  // IV A, |T1| = c: T1's tail goes and is forgotten
        {"g", "g-i", "T1=kj T2=g B1=i B2=be p=2"}}},
      {"arc: a scan leaves no ghosts",
       {"arc", {}},
       2,
       {{"a", "m", "T1=a T2= B1= B2= p=0"},
        {"wb", "m", "T1=Ba T2= B1= B2= p=0"},
        {"c", "m-a", "T1=cB T2= B1= B2= p=0"},
        {"d", "m-B", "T1=dc T2= B1= B2= p=0"},
        {"a", "m-c", "T1=ad T2= B1= B2= p=0"}}},
      {"s3_fifo: S 1, M 3, G 3",
       {"s3_fifo", {}},
       4,
       {{"a", "m", "S=a0 M= G="},           {"b", "m", "S=b0a0 M= G="},
        {"wc", "m", "S=C0b0a0 M= G="},      {"d", "m", "S=d0C0b0a0 M= G="},
        {"e", "m-a", "S=e0d0C0b0 M= G=a"},  {"b", "h", "S=e0d0C0b1 M= G=a"},
        {"b", "h", "S=e0d0C0b2 M= G=a"},    {"c", "h", "S=e0d0C1b2 M= G=a"},
        {"f", "m-C", "S=f0e0d0 M=b0 G=ca"},  // b seen twice: to M; c seen once: it leaves
        {"a", "g-d", "S=f0e0 M=a0b0 G=dc"}, {"c", "g-e", "S=f0 M=c0a0b0 G=ed"},
        {"b", "h", "S=f0 M=c0a0b1 G=ed"},   {"d", "g-f", "S= M=d0c0a0b1 G=fe"},
        {"g", "m-a", "S=g0 M=b0d0c0 G=fe"},  // S has less than its share: M; b is let off once
        {"g", "h", "S=g1 M=b0d0c0 G=fe"},   {"g", "h", "S=g2 M=b0d0c0 G=fe"},
        {"h", "m-c", "S=h0 M=g0b0d0 G=fe"},  // g moves, and M makes room
        {"h", "h", "S=h1 M=g0b0d0 G=fe"},   {"h", "h", "S=h2 M=g0b0d0 G=fe"},
        {"wh", "h", "S=H3 M=g0b0d0 G=fe"},  {"h", "h", "S=H3 M=g0b0d0 G=fe"},       // 3 is the most
        {"i", "m-d", "S=i0 M=H0g0b0 G=fe"}, {"a", "m-i", "S=a0 M=H0g0b0 G=ife"}}},  // what leaves M is not remembered
      {"lirs: 2 LIR, 1 HIR",
       {"lirs", {}},
       3,
       {{"a", "m", "S=a* Q="},
        {"b", "m", "S=b*a* Q="},
        {"c", "m", "S=cb*a* Q=c"},
        {"d", "m-c", "S=dc?b*a* Q=d"},
        {"c", "g-d", "S=c*d?b* Q=a"},  // non-resident in S: LIR; the bottom a becomes HIR
        {"a", "h", "S=ac*d?b* Q=a"},   // HIR, not in S
        {"b", "h", "S=b*ac* Q=a"},     // the bottom: pruned
        {"a", "h", "S=a*b* Q=c"},      // HIR in S: LIR
        {"d", "m-c", "S=da*b* Q=d"},   // c was not in S: forgotten
        {"c", "m-d", "S=cd?a*b* Q=c"},
        {"wd", "g-c", "S=D*c?a* Q=b"},
        {"e", "m-b", "S=eD*c?a* Q=e"},
        {"a", "h", "S=a*eD* Q=e"},
        {"we", "h", "S=E*a* Q=D"},
        {"f", "m-D", "S=fE*a* Q=f"}}},
      {"lirs: a bound on the non-resident pages",
       {"lirs", ParameterValues({{"remembered", 0.34}})},
       3,
       {{"a", "m", "S=a* Q="},
        {"b", "m", "S=b*a* Q="},
        {"c", "m", "S=cb*a* Q=c"},
        {"d", "m-c", "S=dc?b*a* Q=d"},
        {"e", "m-d", "S=ed?b*a* Q=e"},
        {"c", "m-e", "S=ce?b*a* Q=c"}}},
  };
}

}  // namespace flashloom::reference
