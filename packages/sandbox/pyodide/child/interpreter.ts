// The interpreter of a session: runs cells, and hands over what they printed, showed and wrote.
import { readFileSync } from 'node:fs'
import { type PyodideAPI, version } from 'pyodide'
import type { ChildSettings } from './child-settings.ts'
import { closeApi } from './close-api.ts'
import { installDevices } from './devices.ts'
import type { FileSystem } from './emscripten.ts'
import { FileLimits } from './file-limits.ts'
import type { Lock } from './load-python.ts'
import { Packages } from './packages.ts'
import { sendReply } from './pipes.ts'
import { print, sendPrinted } from './printed.ts'
import type { Runner } from './runner.ts'
import { bytesOf, type WrittenFile, WrittenFiles } from './written-files.ts'

const folder = '/mnt/data'
const maxReasonLength = 300
const imageName = /\.(png|jpe?g|gif|webp)$/i

export class Interpreter {
  readonly #python: PyodideAPI
  readonly #settings: ChildSettings
  readonly #files: FileSystem
  readonly #limits: FileLimits
  readonly #written: WrittenFiles
  readonly #runner: Runner
  readonly #packages: Packages
  readonly #pause = new Int32Array(new SharedArrayBuffer(4))

  constructor(python: PyodideAPI, settings: ChildSettings, lock: Lock) {
    const files = python.FS as unknown as FileSystem
    const runner: Runner = python.pyimport('sandbox_runner')
    this.#python = python
    this.#settings = settings
    this.#files = files
    this.#limits = new FileLimits(files, settings)
    this.#written = new WrittenFiles(files, this.#limits, folder)
    this.#runner = runner
    this.#packages = new Packages({ python, runner, files, lock, folder: settings.packagesFolder })
  }

  /** After this Python is on its own: nothing leads back to JavaScript. */
  async start(): Promise<void> {
    const backend = readFileSync(new URL('./sandbox_figures.py', import.meta.url))
    await this.#limits.exempt(() => {
      this.#files.mkdirTree(folder)
      this.#files.chdir(folder)
      this.#files.writeFile('/lib/python3.14/site-packages/sandbox_figures.py', backend)
      installDevices(this.#files, {
        sleep: (milliseconds) => this.#sleep(milliseconds),
        showImage: (name, bytes) => showImage(name, bytes),
      })
      this.#python.setStdin({ read: () => 0 })
      this.#python.setStdout({ write: print })
      this.#python.setStderr({ write: print })
    })
    this.#runner.start(version, JSON.stringify(this.#packages.known()))
    closeApi(this.#python, this.#files)
  }

  put(name: string, bytes: Uint8Array): void {
    try {
      this.#files.writeFile(`${folder}/${name}`, bytes)
      this.#written.take()
      sendReply({ is: 'stored' })
    } catch {
      sendReply({ is: 'refused', why: 'there is no room for it' })
    }
  }

  async run(code: string): Promise<void> {
    let fatal: string | undefined
    try {
      await this.#installPackages(code)
      this.#runner.run(code)
    } catch (error) {
      fatal = describe(error)
    }
    sendPrinted()
    this.#sendWritten()
    sendReply(fatal === undefined ? { is: 'ended' } : { is: 'ended', fatal })
  }

  async #installPackages(code: string): Promise<void> {
    if (this.#settings.packagesFolder === undefined) return
    await this.#limits.exempt(async () => {
      for (const problem of await this.#packages.installFor(code)) print(Buffer.from(`${problem}\n`))
    })
  }

  #sendWritten(): void {
    const written = this.#written.take()
    const { returnedFiles, returnedBytes } = this.#settings
    let bytes = 0
    const kept: WrittenFile[] = []
    for (const file of written) {
      if (kept.length === returnedFiles || bytes + file.node.usedBytes > returnedBytes) continue
      bytes += file.node.usedBytes
      kept.push(file)
    }
    for (const { name, node } of kept) {
      if (imageName.test(name)) sendReply({ is: 'image', name }, bytesOf(node))
      sendReply({ is: 'file', name }, bytesOf(node))
    }
    if (kept.length === written.length) return
    const text = `Only ${kept.length} of the ${written.length} files written were kept: they are too many or too large.\n`
    sendReply({ is: 'logs' }, Buffer.from(text))
  }

  #sleep(milliseconds: number): void {
    sendPrinted()
    Atomics.wait(this.#pause, 0, 0, milliseconds)
  }
}

function showImage(name: string, bytes: Uint8Array): void {
  sendPrinted()
  sendReply({ is: 'image', name }, bytes)
}

function describe(error: unknown): string {
  const { name, message, status } = error as { name?: string; message?: string; status?: number }
  if (status !== undefined) return `the program ended Python with exit code ${status}`
  // Of an error in Python itself, the last line says what it was.
  const lines = (message ?? '').trim().split('\n')
  const line = (name === 'PythonError' ? lines.at(-1) : lines[0]) || name || 'an error without a name'
  return `Python failed (${line.slice(0, maxReasonLength)})`
}
