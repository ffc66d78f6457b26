// HostConfig.SecurityOpt: what is asked of seccomp, AppArmor, SELinux and set-user-id programs.
import { parseProfile, type SeccompProfile } from './seccomp-profile.ts'

export interface SecurityOptions {
  noNewPrivileges: boolean
  seccomp: 'default' | 'unconfined' | SeccompProfile
  /** `systempaths=unconfined`: nothing of /proc and /sys is masked. */
  showsSystemPaths: boolean
}

interface Parsed {
  options: SecurityOptions
  problems: string[]
  warnings: string[]
}

export function parseSecurityOptions(texts: readonly string[]): Parsed {
  const parsed: Parsed = {
    options: { noNewPrivileges: false, seccomp: 'default', showsSystemPaths: false },
    problems: [],
    warnings: [],
  }
  for (const text of texts) readOption(text, parsed)
  return parsed
}

/** `name=value`, or as older clients write it `name:value`. */
function split(text: string): [name: string, value: string | undefined] {
  const at = text.includes('=') ? text.indexOf('=') : text.indexOf(':')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function readOption(text: string, { options, problems, warnings }: Parsed): void {
  const [name, value] = split(text)
  if (name === 'no-new-privileges') {
    if (value === undefined || value === 'true' || value === '1') options.noNewPrivileges = true
    else if (value === 'false' || value === '0') options.noNewPrivileges = false
    else problems.push(`invalid --security-opt: no-new-privileges must be true or false, not "${value}"`)
  } else if (name === 'seccomp' && value !== undefined) {
    readSeccomp(value, options, problems)
  } else if (name === 'apparmor' && value !== undefined) {
    if (value !== 'unconfined')
      problems.push(`apparmor profile "${value}" cannot be used: AppArmor is not enabled on the host`)
  } else if (name === 'label' && value !== undefined) {
    if (value !== 'disable') warnings.push(`SELinux is not enabled on the host: label "${value}" has no effect.`)
  } else if (name === 'systempaths' && value === 'unconfined') {
    options.showsSystemPaths = true
  } else {
    problems.push(`invalid --security-opt: "${text.slice(0, 200)}"`)
  }
}

function readSeccomp(value: string, options: SecurityOptions, problems: string[]): void {
  if (value === 'unconfined') options.seccomp = 'unconfined'
  else if (value === 'builtin' || value === 'default') options.seccomp = 'default'
  else {
    const profile = parseProfile(value)
    if (typeof profile === 'string') problems.push(profile)
    else options.seccomp = profile
  }
}
