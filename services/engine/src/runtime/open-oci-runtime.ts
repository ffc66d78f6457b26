// Makes the runtime of the engine from what the machine has: builds the shim, finds crun and runc.
import { join } from 'node:path'
import { buildNative } from './native-build.ts'
import { OciRuntime } from './oci-runtime.ts'
import { findRuntimes, RuntimePrograms } from './runtime-programs.ts'

/** How long an attached client may read nothing while output waits for it. */
const defaultClientMilliseconds = 5 * 60_000

/**
 * Builds the shim if needed and finds the runtimes.
 * @param programFolder where built native programs are kept
 * @param runtimes further ones by name, or other paths for crun and runc
 */
export async function openOciRuntime(settings: {
  folder: string
  programFolder: string
  runtimes?: Record<string, string>
  clientMilliseconds?: number
}): Promise<OciRuntime> {
  const shim = await buildNative('shim', ['z'], settings.programFolder)
  const paths = { ...(await findRuntimes().catch(() => ({}))), ...settings.runtimes }
  if (Object.keys(paths).length === 0) await findRuntimes()
  const programs = new RuntimePrograms(shim, paths, join(settings.folder, 'run', '.runtimes'))
  await programs.prepare()
  const clientMilliseconds = settings.clientMilliseconds ?? defaultClientMilliseconds
  return new OciRuntime({ folder: settings.folder, shim, programs, clientMilliseconds })
}
