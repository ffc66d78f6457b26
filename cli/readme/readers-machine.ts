// The machine of somebody who follows the README: a fresh checkout, a home of their own, the usual ports, two terminals.
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Ended, type IsolatedHost, type IsolatedProcess, isolatedHost } from '@atoll/engine/testing/isolated'
import { root } from '../places.ts'

/** Sockets lie in the home, and Linux takes no longer paths of sockets. */
const parent = '/tmp'
const startTimeoutMs = 120_000
const blockTimeoutMs = 120_000

export class ReadersMachine {
  readonly #host: IsolatedHost
  readonly #folder: string
  /** What the second terminal has exported, and where it stands. */
  readonly #state: string
  #server: IsolatedProcess | undefined

  static async open(): Promise<ReadersMachine> {
    const folder = mkdtempSync(join(parent, 'rd-'))
    for (const name of ['home', 'changes', 'work', 'bin']) mkdirSync(join(folder, name))
    // Whoever is root already needs no sudo, and may not have it.
    writeFileSync(join(folder, 'bin', 'sudo'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
    const host = await isolatedHost()
    const machine = new ReadersMachine(host, folder)
    const layers = `lowerdir=${root},upperdir=${folder}/changes,workdir=${folder}/work`
    // In the checkout's own place, as it is seen there: what is compiled of it is good by its paths.
    const mounted = await host.run('mount', ['-t', 'overlay', 'overlay', '-o', layers, root])
    if (mounted.code === 0) return machine
    await machine.close()
    throw new Error(`The checkout cannot be laid over: ${mounted.stderr}`)
  }

  private constructor(host: IsolatedHost, folder: string) {
    this.#host = host
    this.#folder = folder
    this.#state = join(folder, 'terminal.sh')
    writeFileSync(this.#state, `cd '${root}'\n`)
  }

  /** Runs it in the terminal, as it stands; what it exports is there for the next one. */
  run(code: string): Promise<Ended> {
    const script = `set -eu\n. '${this.#state}'\n${code}\n{ export -p; echo "cd '$PWD'"; } > '${this.#state}'\n`
    return this.#host.run('env', [...this.#bare, 'bash', '-c', script], { timeoutMs: blockTimeoutMs })
  }

  runFile(name: string, code: string): Promise<Ended> {
    writeFileSync(join(this.#folder, 'changes', name), code)
    return this.run(`node ${name}`)
  }

  /** In the first terminal: ends what runs there with Ctrl-C, starts anew, and copies what is to be copied. */
  async start(command: string): Promise<string> {
    await this.stop()
    const script = `cd '${root}' && exec ${command}`
    this.#server = await this.#host.spawn('env', [...this.#bare, 'bash', '-c', script])
    const said = await saidBy(this.#server)
    appendFileSync(this.#state, `\n${(said.match(/^ {2}export \S+=\S+$/gm) ?? []).join('\n')}\n`)
    return said
  }

  async stop(): Promise<void> {
    this.#server?.kill('SIGINT')
    await this.#server?.ended
    this.#server = undefined
  }

  async close(): Promise<void> {
    await this.stop()
    if (existsSync(join(this.#folder, 'home', '.local'))) await this.run('./atoll stop')
    await this.#host.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** A new shell: nothing of this one's settings. */
  get #bare(): string[] {
    const node = dirname(process.execPath)
    const path = [join(this.#folder, 'bin'), node, process.env.PATH].join(':')
    return ['-i', `PATH=${path}`, `HOME=${join(this.#folder, 'home')}`, 'TERM=dumb']
  }
}

function saidBy({ child, ended }: IsolatedProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  const hear = (text: string): void => {
    said += text
    if (/^Then try:\n[\s\S]*\n$/m.test(said)) resolve(said)
  }
  child.stdout?.setEncoding('utf8').on('data', hear)
  child.stderr?.setEncoding('utf8').on('data', hear)
  void ended.then((code) => reject(new Error(`It ended with ${code}: ${said}`)))
  setTimeout(() => reject(new Error(`It was not ready in time: ${said}`)), startTimeoutMs).unref()
  return promise
}
