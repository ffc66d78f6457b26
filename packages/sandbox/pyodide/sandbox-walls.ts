// Which walls this machine puts around Python code: for `./atoll doctor`.
import { programFiles, readableFiles } from './child-files.ts'
import { findIsolation } from './walls/find-isolation.ts'
import type { Wall } from './walls/wall.ts'

export const sandboxWalls = async (): Promise<Wall[]> =>
  (await findIsolation([...programFiles(), ...readableFiles(undefined)])).walls
