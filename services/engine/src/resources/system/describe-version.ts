// Puts together what `GET /version` tells.
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { newestVersion, oldestVersion } from '../../versions/version.ts'
import { engineVersion } from './engine-version.ts'
import { isExperimental } from './headers.ts'
import { goArchitecture, kernelRelease } from './machine.ts'
import type { Version } from './schema.ts'

/** The program runs from its sources: they were built when they were written. */
const builtAt = ((): string => {
  const { mtime } = statSync(fileURLToPath(import.meta.url))
  return mtime.toISOString().replace(/Z$/, '000000Z')
})()

export function describeVersion(runtimes: Record<string, { path: string; version: string }>): Version {
  const facts = {
    ApiVersion: newestVersion,
    MinAPIVersion: oldestVersion,
    GitCommit: '',
    GoVersion: `node${process.versions.node}`,
    Os: 'linux',
    Arch: goArchitecture(),
    KernelVersion: kernelRelease(),
    BuildTime: builtAt,
  }
  const engine = { Name: 'Engine', Version: engineVersion, Details: { ...facts, Experimental: String(isExperimental) } }
  const programs = Object.entries(runtimes).map(([name, { path, version }]) => ({
    Name: name,
    Version: version,
    Details: { Path: path },
  }))
  return { Platform: { Name: 'Atoll Engine' }, Components: [engine, ...programs], Version: engineVersion, ...facts }
}
