// DLD over other double caches.
#include "tests/policies/replacement/reference/walks.hpp"

namespace flashloom::reference {

std::vector<Walk> dld_walks() {
  return {
      {"dld_two_q: Kin 1, Kout 2",
       {"dld_two_q", {}},
       4,
       {{"wa", "m", "A1in=A Am= A1out= D= delays=0"},
        {"wb", "m", "A1in=BA Am= A1out= D= delays=0"},
        {"c", "m", "A1in=cBA Am= A1out= D= delays=0"},
        {"d", "m", "A1in=dcBA Am= A1out= D= delays=0"},
        {"e", "m", "A1in=edcB Am= A1out= D=A delays=0"},  // dirty: nothing leaves
        {"f", "m", "A1in=fedc Am= A1out= D=BA delays=0"},
        {"a", "d-c", "A1in=fed Am=A A1out=c D=B delays=0"},  // its data are there, still dirty
        {"c", "g-d", "A1in=fe Am=cA A1out=d D=B delays=1"},  // three ghosts: C's oldest goes, c's own
        {"g", "m-e", "A1in=gf Am=cA A1out=e D=B delays=2"},
        {"h", "m-f", "A1in=hg Am=cA A1out=f D=B delays=3"},
        {"i", "m-g", "A1in=ih Am=cA A1out=g D=B delays=4"},
        {"j", "m-hB", "A1in=ji Am=cA A1out=hg D= delays=0"},  // S delays: D is written, less than a block
        {"h", "g-i", "A1in=j Am=hcA A1out=i D= delays=0"},    // D is empty: as 2Q
        {"k", "m", "A1in=kj Am=hc A1out=i D=A delays=0"},     // from Am, which 2Q does not remember
        {"a", "d-j", "A1in=k Am=Ahc A1out=ji D= delays=0"},
        {"wc", "h", "A1in=k Am=CAh A1out=ji D= delays=0"},
        {"wl", "m-h", "A1in=Lk Am=CA A1out=ji D= delays=0"},  // from Am, clean: forgotten
        {"wm", "m-k", "A1in=ML Am=CA A1out=kj D= delays=0"},
        {"wn", "m", "A1in=NM Am=CA A1out=k D=L delays=1"},
        {"wo", "m", "A1in=ON Am=CA A1out= D=ML delays=2"},
        {"wp", "m-LM", "A1in=PO Am=CA A1out= D=N delays=0"}}},  // C is empty: a block from D's tail
      {"dld_s3_fifo: S 1, M 3, G 3",
       {"dld_s3_fifo", {}},
       4,
       {{"wa", "m", "S=A M= G= D= delays=0"},
        {"b", "m", "S=bA M= G= D= delays=0"},
        {"c", "m", "S=cbA M= G= D= delays=0"},
        {"d", "m", "S=dcbA M= G= D= delays=0"},
        {"e", "m", "S=edcb M= G= D=A delays=0"},
        {"b", "h", "S=edcb M= G= D=A delays=0"},
        {"f", "m-b", "S=fedc M= G=b D=A delays=0"},
        {"b", "g-c", "S=fed M=b G=c D=A delays=0"},
        {"a", "d-d", "S=fe M=Ab G=dc D= delays=0"},
        {"wf", "h", "S=Fe M=Ab G=dc D= delays=0"},
        {"wf", "h", "S=Fe M=Ab G=dc D= delays=0"},
        {"g", "m-e", "S=gF M=Ab G=edc D= delays=0"},
        {"h", "m-g", "S=h M=FAb G=ged D= delays=0"},
        {"wi", "m-h", "S=I M=FAb G=hge D= delays=0"},
        {"g", "g", "S= M=gFAb G=h D=I delays=1"},  // i to D, e is dropped
        {"j", "m-b", "S=j M=gFA G=h D=I delays=1"},
        {"h", "g-j", "S= M=hgFA G=j D=I delays=1"},
        {"k", "m", "S=k M=hgF G=j D=AI delays=1"},  // from M, which S3-FIFO does not remember
        {"a", "d-k", "S= M=AhgF G=kj D=I delays=1"}}},
      {"dld_lirs: two LIR pages",
       {"dld_lirs", {}},
       3,
       {{"a", "m", "S=a LIR=a Q= gone= D= delays=0"},
        {"wb", "m", "S=Ba LIR=Ba Q= gone= D= delays=0"},
        {"wc", "m", "S=CBa LIR=Ba Q=C gone= D= delays=0"},
        {"wd", "m", "S=DCBa LIR=Ba Q=D gone= D=C delays=0"},  // c keeps its place in S
        {"c", "d", "S=CDB LIR=CB Q=a gone= D=D delays=0"},    // in S: becomes LIR
        {"e", "m-a", "S=eCDB LIR=CB Q=e gone= D=D delays=0"},
        {"f", "m-e", "S=feCDB LIR=CB Q=f gone=e D=D delays=0"},
        {"b", "h", "S=BfeC LIR=CB Q=f gone=e D=D delays=0"},     // d is pruned from S, not written
        {"d", "d-f", "S=DBfeC LIR=CB Q=D gone=fe D= delays=0"},  // no longer in S: HIR
        {"e", "g", "S=eDB LIR=eB Q=C gone= D=D delays=0"},
        {"g", "m", "S=geDB LIR=eB Q=g gone= D=CD delays=0"}}},  // not in S, but dirty
  };
}

}  // namespace flashloom::reference
