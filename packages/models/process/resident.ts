// Something costly that is loaded when first needed, kept while it is used, and let go when nobody used it for long.
export interface ResidentOptions<T> {
  load(): Promise<T>
  /** Gives back all it holds, also when it died on its own. */
  unload(value: T): Promise<void>
  /** It died on its own: the next use unloads it and loads it anew. */
  isGone(value: T): boolean
  idleMs: number
}

export class Resident<T> {
  readonly #options: ResidentOptions<T>
  #loading: Promise<T> | undefined
  #users = 0
  #timer: NodeJS.Timeout | undefined
  #unloading: Promise<void> = Promise.resolve()

  constructor(options: ResidentOptions<T>) {
    this.#options = options
  }

  get isLoaded(): boolean {
    return this.#loading !== undefined
  }

  /** `release` must be called once the value is no longer used. */
  async acquire(): Promise<{ value: T; release(): void }> {
    this.#users++
    clearTimeout(this.#timer)
    let released = false
    const release = (): void => {
      if (released) return
      released = true
      this.#users--
      if (this.#users === 0) this.#rest()
    }
    try {
      return { value: await this.#get(), release }
    } catch (error) {
      release()
      throw error
    }
  }

  async use<R>(work: (value: T) => Promise<R>): Promise<R> {
    const { value, release } = await this.acquire()
    try {
      return await work(value)
    } finally {
      release()
    }
  }

  /** Unloads unless somebody uses it; tells whether it did. */
  async leave(): Promise<boolean> {
    if (this.#users > 0) return false
    await this.close()
    return true
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#unload()
    await this.#unloading
  }

  async #get(): Promise<T> {
    for (;;) {
      await this.#unloading
      this.#loading ??= this.#options.load()
      const loading = this.#loading
      try {
        const value = await loading
        if (!this.#options.isGone(value)) return value
        // What it held besides itself is given back too.
        if (this.#loading === loading) this.#unload()
      } catch (error) {
        if (this.#loading === loading) this.#loading = undefined
        throw error
      }
    }
  }

  #rest(): void {
    this.#timer = setTimeout(() => this.#unload(), this.#options.idleMs)
    this.#timer.unref()
  }

  #unload(): void {
    const loading = this.#loading
    this.#loading = undefined
    if (loading === undefined) return
    this.#unloading = loading.then((value) => this.#options.unload(value)).catch(() => undefined)
  }
}
