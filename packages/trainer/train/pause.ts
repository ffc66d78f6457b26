// A word that all threads look at: while it says so they stand still, and take no time of the machine.
const going = 0
const paused = 1

export class Pause {
  readonly flag = new Int32Array(new SharedArrayBuffer(4))

  set(isPaused: boolean): void {
    Atomics.store(this.flag, 0, isPaused ? paused : going)
    if (!isPaused) Atomics.notify(this.flag, 0)
  }
}

/** For threads; never for the main one. */
export function waitWhilePaused(flag: Int32Array): void {
  while (Atomics.load(flag, 0) === paused) Atomics.wait(flag, 0, paused)
}
