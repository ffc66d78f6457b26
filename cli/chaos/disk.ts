// The disk of one node: a file system in a file, which can become full, or read-only as real ones do after an error.
// Mounted in the namespace of isolated.ts: nobody outside sees it, and it goes with the last process there.
import { execFile } from 'node:child_process'
import { rm, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const diskBytes = 32 * 1024 * 1024
const pieceBytes = 1024 * 1024
/** Below the size of a block of the file system: nothing more goes in then. */
const leastBytes = 512

export class Disk {
  readonly folder: string
  readonly #image: string

  private constructor(folder: string) {
    this.folder = folder
    this.#image = `${folder}.img`
  }

  /** `folder` is empty, and becomes the root of the disk, with what file systems have there of their own. */
  static async make(folder: string): Promise<Disk> {
    const disk = new Disk(folder)
    await writeFile(disk.#image, '')
    await truncate(disk.#image, diskBytes)
    // Nothing is kept back for root, who may write on a full disk otherwise.
    await run('mkfs.ext4', ['-q', '-F', '-m', '0', disk.#image])
    await disk.#mount()
    return disk
  }

  async fill(): Promise<void> {
    for (let bytes = pieceBytes; bytes > leastBytes; ) {
      try {
        await writeFile(this.#filler, Buffer.alloc(bytes), { flag: 'a', flush: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        bytes >>= 1
      }
    }
  }

  async empty(): Promise<void> {
    await rm(this.#filler)
  }

  /** The kernel does so with a file system whose records are wrong. What was written until then is kept. */
  async failToReadOnly(): Promise<void> {
    await run('sync', ['--file-system', this.folder])
    const { stdout } = await run('findmnt', ['--noheadings', '--output', 'SOURCE', this.folder])
    await writeFile(`/sys/fs/ext4/${basename(stdout.trim())}/trigger_fs_error`, 'chaos')
  }

  /** By its operator, who has stopped what used it: it does not become writable by itself. */
  async repair(): Promise<void> {
    await this.unmount()
    // 1: it has repaired something.
    await run('e2fsck', ['-f', '-p', this.#image]).catch((error: { code?: number }) => {
      if (error.code !== 1) throw error
    })
    await this.#mount()
  }

  async unmount(): Promise<void> {
    await run('umount', [this.folder])
  }

  get #filler(): string {
    return join(this.folder, 'filler')
  }

  async #mount(): Promise<void> {
    await run('mount', ['-o', 'loop,errors=remount-ro', this.#image, this.folder])
  }
}
