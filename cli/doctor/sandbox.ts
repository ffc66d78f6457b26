// What holds the Python code of the code interpreter on this machine.
import { sandboxWalls } from '@atoll/sandbox/pyodide/sandbox-walls'
import { missingWalls } from '@atoll/sandbox/pyodide/walls/wall'
import type { Check } from './check.ts'

export async function sandboxCheck(): Promise<Check> {
  const walls = await sandboxWalls()
  const missing = missingWalls(walls)
  const standing = walls.filter(({ by }) => by !== undefined).map(({ against, by }) => `${against}: ${by}`)
  const detail = missing.length > 0 ? `no wall against ${missing.join(', ')}` : standing.join('; ')
  return { what: 'Python sandbox', need: 'platform', state: missing.length > 0 ? 'optional' : 'ok', detail }
}
