<<<<<<< HEAD
import{Cn as e,Sn as t,dn as n,un as r}from"./core.js";var i=2e3,a=class{#e=e(`ready`);get state(){return r(this.#e)}set state(e){t(this.#e,e,!0)}timer;async copy(e,t){clearTimeout(this.timer);try{await navigator.clipboard.writeText(e),this.state=`copied`,this.timer=setTimeout(()=>this.state=`ready`,i)}catch{this.state=`by-hand`,await n(),t()}}};export{a as t};
=======
import{bn as e,cn as t,ln as n,xn as r}from"./core.js";var i=2e3,a=class{#e=r(`ready`);get state(){return t(this.#e)}set state(t){e(this.#e,t,!0)}timer;async copy(e,t){clearTimeout(this.timer);try{await navigator.clipboard.writeText(e),this.state=`copied`,this.timer=setTimeout(()=>this.state=`ready`,i)}catch{this.state=`by-hand`,await n(),t()}}};export{a as t};
>>>>>>> talk
