// HEARTBEAT.md: what the operator wants to be looked at in every heartbeat.
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const fileName = 'HEARTBEAT.md'
const maxBytes = 64 * 1024

/** Its text; undefined when there is none. */
export async function readHeartbeatFile(workspace: string): Promise<string | undefined> {
  try {
    await using file = await open(join(workspace, fileName), 'r')
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Headings, empty items and comments ask for nothing. */
export function isEffectivelyEmpty(text: string): boolean {
  return text
    .replace(/<!--[\s\S]*?-->/g, '')
    .split('\n')
    .every((line) => /^\s*(#.*|[-*+]\s*(\[[ xX]?\]\s*)?)?$/.test(line))
}
