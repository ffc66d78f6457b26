// The interpreter of a session: runs cells, and hands over what they printed, showed and wrote.
import { readFileSync } from 'node:fs'
import { type PyodideAPI, version } from 'pyodide'
import type { ChildSettings } from './child-settings.ts'
import { closeApi } from './close-api.ts'
import { installDevices } from './devices.ts'
import type { FileSystem } from './emscripten.ts'
import { FileLimits } from './file-limits.ts'
import type { ImportGate } from './import-gate.ts'
import type { Lock } from './load-python.ts'
import { Packages } from './packages.ts'
import { sendReply } from './pipes.ts'
import { print, sendPrinted } from './printed.ts'
import { PythonCalls } from './python-calls.ts'
import { bytesOf, type WrittenFile, WrittenFiles } from './written-files.ts'

const folder = '/mnt/data'
const maxReasonLength = 300
const imageName = /\.(png|jpe?g|gif|webp)$/i

const runnerModule = 'sandbox_runner'

export class Interpreter {
  readonly #python: PyodideAPI
  readonly #settings: ChildSettings
  readonly #files: FileSystem
  readonly #limits: FileLimits
  readonly #written: WrittenFiles
  readonly #gate: ImportGate
  readonly #run: (code: string) => string
  readonly #packages: Packages
  readonly #pause = new Int32Array(new SharedArrayBuffer(4))

  constructor(python: PyodideAPI, settings: ChildSettings, lock: Lock, gate: ImportGate) {
    const files = python.FS as unknown as FileSystem
    const calls = new PythonCalls(gate.exports, runnerModule)
    this.#python = python
    this.#settings = settings
    this.#files = files
    this.#limits = new FileLimits(files, settings)
    this.#written = new WrittenFiles(files, this.#limits, folder)
    this.#gate = gate
    this.#run = calls.find('run')
    this.#packages = new Packages({ calls, gate, files, lock, folder: settings.packagesFolder })
  }

  /** After this Python is on its own: nothing leads back to JavaScript. */
  start(): void {
    const backend = readFileSync(new URL('./sandbox_figures.py', import.meta.url))
    this.#limits.exempt(() => {
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
    const runner: { start(version: string, available: string): void } = this.#python.pyimport(runnerModule)
    runner.start(version, JSON.stringify(this.#packages.known()))
    closeApi(this.#python, this.#files)
    this.#gate.close()
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

  run(code: string): void {
    let fatal: string | undefined
    try {
      this.#installPackages(code)
      this.#run(code)
    } catch (error) {
      fatal = describe(error)
    }
    sendPrinted()
    this.#sendWritten()
    sendReply(fatal === undefined ? { is: 'ended' } : { is: 'ended', fatal })
  }

  #installPackages(code: string): void {
    if (this.#settings.packagesFolder === undefined) return
    this.#limits.exempt(() => {
      for (const problem of this.#packages.installFor(code)) print(Buffer.from(`${problem}\n`))
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
