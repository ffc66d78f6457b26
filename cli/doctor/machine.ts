// The machine itself: Node, memory, and the disk under the data folder.
import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs'
import { availableParallelism, freemem, totalmem } from 'node:os'
import { dirname } from 'node:path'
import type { Check } from './check.ts'

const leastNodeMajor = 24
const leastFreeDiskBytes = 1e9
const othersMask = 0o077

export function machineChecks(data: string): Check[] {
  return [nodeCheck(), memoryCheck(), folderCheck(data), diskCheck(data)]
}

function nodeCheck(): Check {
  const recent = Number.parseInt(process.versions.node, 10) >= leastNodeMajor
  const detail = recent ? process.version : `${process.version}; install Node ${leastNodeMajor} or later`
  return { what: 'Node', need: 'all', state: recent ? 'ok' : 'missing', detail }
}

function memoryCheck(): Check {
  const detail = `${gigabytes(freemem())} GB free of ${gigabytes(totalmem())} GB, ${availableParallelism()} processors`
  return { what: 'memory', need: 'all', state: 'ok', detail }
}

function folderCheck(data: string): Check {
  const place = { what: 'data folder', need: 'all' }
  const found = statIfAllowed(data)
  if (found?.isDirectory() === false) {
    return { ...place, state: 'missing', detail: `${data} is a file, not a folder; choose another with --data` }
  }
  try {
    accessSync(found === undefined ? nearestExisting(data) : data, constants.W_OK)
    const isOpen = found !== undefined && (found.mode & othersMask) !== 0
    const hint =
      found === undefined ? ' (made at the first start)' : isOpen ? ' (open to others; closed by a start)' : ''
    return { ...place, state: 'ok', detail: data + hint }
  } catch {
    const who = found === undefined || found.uid === process.getuid?.() ? '' : ' by this user'
    return { ...place, state: 'missing', detail: `${data} cannot be written to${who}; choose another with --data` }
  }
}

/** Of a folder below one that is closed to this user nothing can be told. */
function statIfAllowed(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function diskCheck(data: string): Check {
  const { bavail, bsize } = statfsSync(nearestExisting(data))
  const free = bavail * bsize
  const enough = free >= leastFreeDiskBytes
  const detail = `${gigabytes(free)} GB free${enough ? '' : '; at least 1 GB is needed'}`
  return { what: 'disk', need: 'all', state: enough ? 'ok' : 'missing', detail }
}

/** The folder itself may come only with the first start. */
function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1)
