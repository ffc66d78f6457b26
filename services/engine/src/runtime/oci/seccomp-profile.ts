// Seccomp profiles as people write them (with conditions on capabilities, architecture and kernel), and as the runtimes
// take them (without).
import { z } from 'zod'

const Condition = z.object({
  caps: z.array(z.string()).nullish(),
  arches: z.array(z.string()).nullish(),
  minKernel: z
    .string()
    .regex(/^\d+\.\d+$/)
    .nullish(),
})

const Argument = z.object({
  index: z.number().int().min(0).max(5),
  value: z.number().min(0),
  valueTwo: z.number().min(0).nullish(),
  op: z.string(),
})

const Rule = z.object({
  name: z.string().nullish(),
  names: z.array(z.string()).nullish(),
  action: z.string(),
  errnoRet: z.number().int().min(0).nullish(),
  args: z.array(Argument).nullish(),
  includes: Condition.nullish(),
  excludes: Condition.nullish(),
})

const Profile = z.object({
  defaultAction: z.string(),
  defaultErrnoRet: z.number().int().min(0).nullish(),
  architectures: z.array(z.string()).nullish(),
  archMap: z.array(z.object({ architecture: z.string(), subArchitectures: z.array(z.string()).nullish() })).nullish(),
  flags: z.array(z.string()).nullish(),
  syscalls: z.array(Rule).nullish(),
})
export type SeccompProfile = z.output<typeof Profile>
type Condition = z.output<typeof Condition>
type Rule = z.output<typeof Rule>

interface SeccompCircumstances {
  capabilities: readonly string[]
  architecture: string
  kernel: readonly [major: number, minor: number]
}

const maxProfileBytes = 1_000_000

/** The profile, or what is wrong with it. */
export function parseProfile(text: string): SeccompProfile | string {
  if (text.length > maxProfileBytes) return `seccomp profile too large: at most ${maxProfileBytes} bytes`
  try {
    const profile = Profile.safeParse(JSON.parse(text))
    if (!profile.success) {
      const [issue] = profile.error.issues
      return `invalid seccomp profile: ${issue?.path.join('.')}: ${issue?.message}`
    }
    if (profile.data.architectures?.length && profile.data.archMap?.length) {
      return "invalid seccomp profile: use either 'architectures' or 'archMap'"
    }
    return profile.data
  } catch {
    return 'Decoding seccomp profile failed: it is not valid JSON'
  }
}

/** What conditions call an architecture, and what the runtimes do. */
const architectures: Readonly<Record<string, { short: string; own: string }>> = {
  x86_64: { short: 'amd64', own: 'SCMP_ARCH_X86_64' },
  aarch64: { short: 'arm64', own: 'SCMP_ARCH_AARCH64' },
}

export function resolveProfile(profile: SeccompProfile, given: SeccompCircumstances): object {
  const { defaultAction, defaultErrnoRet, flags } = profile
  const rules = (profile.syscalls ?? []).filter(
    ({ includes, excludes }) => holds(includes, given) && !isExcluded(excludes, given),
  )
  return {
    defaultAction,
    ...(defaultErrnoRet == null ? {} : { defaultErrnoRet }),
    ...(flags?.length ? { flags } : {}),
    architectures: architecturesOf(profile, given.architecture),
    syscalls: rules.map(plainRule),
  }
}

function architecturesOf({ architectures: listed, archMap }: SeccompProfile, machine: string): string[] {
  if (listed?.length) return listed
  const own = architectures[machine]?.own
  const mapped = archMap?.find(({ architecture }) => architecture === own)
  if (mapped !== undefined) return [mapped.architecture, ...(mapped.subArchitectures ?? [])]
  return own === undefined ? [] : [own]
}

function plainRule({ name, names, action, errnoRet, args }: Rule): object {
  return {
    names: [...(names ?? []), ...(name ? [name] : [])],
    action,
    ...(errnoRet == null ? {} : { errnoRet }),
    ...(args?.length
      ? { args: args.map(({ valueTwo, ...rest }) => ({ ...rest, ...(valueTwo == null ? {} : { valueTwo }) })) }
      : {}),
  }
}

/** Everything a condition names must be so. */
function holds(condition: Condition | null | undefined, given: SeccompCircumstances): boolean {
  if (condition == null) return true
  const { caps, arches, minKernel } = condition
  if (caps?.length && !caps.every((name) => given.capabilities.includes(name))) return false
  if (arches?.length && !arches.includes(architectures[given.architecture]?.short ?? given.architecture)) return false
  return minKernel == null || isAtLeast(given.kernel, minKernel)
}

/** Any one of what is named excludes the rule. */
function isExcluded(condition: Condition | null | undefined, given: SeccompCircumstances): boolean {
  if (condition == null) return false
  const { caps, arches, minKernel } = condition
  if (caps?.some((name) => given.capabilities.includes(name))) return true
  if (arches?.includes(architectures[given.architecture]?.short ?? given.architecture)) return true
  return minKernel != null && isAtLeast(given.kernel, minKernel)
}

function isAtLeast([major, minor]: readonly [number, number], wanted: string): boolean {
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number)
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}
