// Device nodes of the host.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface DeviceNode {
  path: string
  type: 'c' | 'b'
  major: number
  minor: number
  fileMode: number
  uid: number
  gid: number
}

/** A tree of devices asked for as one may have so many. */
const maxDevices = 4_096
const maxDepth = 8

/** As the kernel's `dev_t` is put together for programs. */
const majorOf = (device: bigint): number => Number(((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xfffff000n))
const minorOf = (device: bigint): number => Number((device & 0xffn) | ((device >> 12n) & 0xffffff00n))

/** Links are followed. Undefined: not there, or no device. */
export async function readDevice(path: string): Promise<DeviceNode | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  if (found === undefined || !(found.isCharacterDevice() || found.isBlockDevice())) return undefined
  return {
    path,
    type: found.isBlockDevice() ? 'b' : 'c',
    major: majorOf(found.rdev),
    minor: minorOf(found.rdev),
    fileMode: Number(found.mode & 0o7777n),
    uid: Number(found.uid),
    gid: Number(found.gid),
  }
}

/** All devices below a folder. */
export async function readDevices(folder: string, depth = 0): Promise<DeviceNode[]> {
  if (depth > maxDepth) return []
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const nodes: DeviceNode[] = []
  for (const entry of entries.slice(0, maxDevices)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) nodes.push(...(await readDevices(path, depth + 1)))
    else if (entry.isCharacterDevice() || entry.isBlockDevice())
      nodes.push(...[await readDevice(path)].flatMap((node) => node ?? []))
  }
  return nodes.slice(0, maxDevices)
}
