// The search of the site where it is opened from its files: browsers refuse workers of file: pages, so the script of the worker runs
// in a frame of the page.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
      this.loaded = new Promise(resolve => {
        const script = inside.document.createElement("script");
        script.src = url;
        script.onload = () => resolve(inside);
        inside.document.body.append(script);
      });
    }
    postMessage(data) {
      this.loaded.then(inside => inside.dispatchEvent(new MessageEvent("message", {data})));
    }
    terminate() {}
  };
