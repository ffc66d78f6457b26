// A wait that can be ended early.
export class Pause {
  #end: (() => void) | undefined

  for(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end?.(), milliseconds)
      timer.unref()
      this.#end = () => {
        clearTimeout(timer)
        this.#end = undefined
        resolve()
      }
    })
  }

  end(): void {
    this.#end?.()
  }
}
