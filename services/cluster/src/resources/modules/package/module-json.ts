// What a module says of itself: module.json in its package.
import { z } from 'zod'
import * as errors from '../../../errors.ts'
import { compareVersions } from '../../../upgrade/versions.ts'
import { unknownNames } from '../capabilities.ts'
import { architectureOf } from './elf.ts'

const Text = z
  .string()
  .max(4_096)
  .nullish()
  .transform((text) => text ?? '')
const Flag = z
  .boolean()
  .nullish()
  .transform((flag) => flag ?? false)
const Version = z.string().regex(/^\d{1,6}(\.\d{1,6}){0,3}$/, 'expected numbers with dots between')

const orDefault = (value: string) => Version.nullish().transform((version) => version ?? value)

/** One line of the server's configuration: nothing may end it. */
const Arguments = Text.refine((text) => !/\p{Cc}/u.test(text), 'expected no control characters')

export const ModuleJson = z.object({
  module_name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'expected letters, digits, dots, dashes and underscores'),
  semantic_version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, 'expected major.minor.patch'),
  version: z.int().min(0).nullish(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'expected 64 hexadecimal digits'),
  architecture: z.string().refine((name) => architectureOf(name) !== undefined, 'expected x86_64 or aarch64'),
  module_file: z.string().min(1).max(255).nullish(),
  os: z
    .string()
    .max(64)
    .nullish()
    .transform((os) => os ?? 'Linux'),
  min_redis_version: orDefault('4.0'),
  min_redis_pack_version: orDefault('5.2'),
  compatible_redis_version: Version.nullish().transform((version) => version ?? undefined),
  capabilities: z
    .array(z.string().max(64))
    .max(64)
    .nullish()
    .transform((names) => [...new Set(names ?? [])]),
  capability_name: Text,
  command_line_args: Arguments,
  config_command: Text,
  display_name: Text,
  author: Text,
  description: Text,
  email: Text,
  homepage: Text,
  license: Text,
  bigstore_version_2_support: Flag,
  crdb: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((crdb) => crdb ?? undefined),
  dependencies: z.unknown().optional(),
})
export type ModuleJson = z.output<typeof ModuleJson>

/** Everything that is wrong with it is told at once, as far as one thing does not hide another. */
export function readModuleJson(text: string): ModuleJson {
  const read = ModuleJson.safeParse(parse(text))
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`)
    throw errors.invalidModule(`module.json is not as expected: ${problems.join('; ')}.`)
  }
  return read.data
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw errors.invalidModule(`module.json is no JSON: ${error instanceof Error ? error.message : error}.`)
  }
}

/** Whether this cluster can run it at all. */
export function checkFits(
  { os, min_redis_pack_version, capabilities, dependencies }: ModuleJson,
  release: string,
): void {
  if (!['linux', 'generic'].includes(os.toLowerCase())) throw errors.osNotSupported(os)
  if (compareVersions(min_redis_pack_version, release) > 0) throw errors.releaseTooOld(min_redis_pack_version, release)
  const unknown = unknownNames(capabilities)
  if (unknown.length > 0) throw errors.unknownCapabilities(unknown)
  refuseDependencies(dependencies)
}

const Dependencies = z.record(z.string(), z.object({ url: z.string(), sha256: z.string() }))

function refuseDependencies(given: unknown): void {
  if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) return
  const read = Dependencies.safeParse(given)
  if (!read.success) throw errors.invalidDependencies('module.json: dependencies must be {name: {url, sha256}}.')
  const names = Object.keys(read.data)
  if (names.length > 0) throw errors.dependenciesNotSupported(names)
}
