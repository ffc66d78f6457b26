// What the tests of blobs share: a store in a temporary folder, bytes in pieces, a log that remembers.
import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { tempDir } from '@atoll/testkit/temp-dir'
import { ManualClock } from '../../clock/clock.ts'
import { createIds } from '../../ids/ids.ts'
import type { Log } from '../../telemetry/log.ts'
import type { BlobStore } from '../blobs.ts'
import { createLocalDisk } from '../local-disk.ts'

export const roomy = { maxBytes: 2 ** 30 }

export interface StoreUnderTest {
  clock: ManualClock
  blobs: BlobStore
  /** Names of all that lies in the store, finished or not. */
  names(): Promise<string[]>
  /** Another store over the same place. */
  reopen(): Promise<BlobStore>
  /** Sizes at which something changes in the store. */
  borders: number[]
  /** How often a property is tried. */
  runs: number
  /** Takes away all there is, for the next test. */
  empty(): Promise<void>
}

export async function openTestStore(): Promise<StoreUnderTest & { folder: string }> {
  const folder = await tempDir()
  const clock = new ManualClock()
  const borders = [0, 1, 2 ** 16, 2 ** 18, 2 ** 19, 2 ** 20, 2 ** 21]
  const reopen = () => createLocalDisk(folder, clock, createIds(clock))
  const blobs = await reopen()
  const empty = async () => {
    for (const path of await pathsIn(folder)) await rm(path)
  }
  return { folder, clock, blobs, names: () => filesIn(folder), reopen, borders, runs: 50, empty }
}

export function inPieces(bytes: Buffer, size: number): Readable {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return Readable.from(pieces, { objectMode: false })
}

export async function keysIn(blobs: BlobStore): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list()) keys.push(key)
  return keys.sort()
}

/** The names of all files on disk, finished blobs or not. */
export const filesIn = async (folder: string): Promise<string[]> =>
  (await pathsIn(folder)).map((path) => basename(path)).sort()

async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

export class RememberingLog implements Log {
  readonly warnings: object[] = []

  debug(): void {}
  info(): void {}
  error(): void {}

  warn(fields: object): void {
    this.warnings.push(fields)
  }

  child(): Log {
    return this
  }
}
