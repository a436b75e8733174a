/** Which change of an edit a person looks at, and the way to the next one. */

export class Changes {
  count = $state(0);
  /** The one that is looked at, counted from 0. */
  at = $state(0);
  /** Whether somebody went to it, so that it is marked. */
  gone = $state(false);
  private show: (change: number) => void = () => {};

  /** Says how many there are and how one is shown. Call back what it returns. */
  follow(count: number, show: (change: number) => void): () => void {
    [this.count, this.show] = [count, show];
    this.at = Math.min(this.at, Math.max(0, count - 1));
    return () => {
      [this.count, this.show] = [0, () => {}];
    };
  }

  /** Goes on or back; behind the last one comes the first. */
  go(step: 1 | -1): void {
    if (this.count < 1) return;
    this.at = (this.at + step + this.count) % this.count;
    this.gone = true;
    this.show(this.at);
  }
}
