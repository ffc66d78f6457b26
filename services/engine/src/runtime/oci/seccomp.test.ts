import { describe, expect, it } from 'vitest'
import { defaultProfile } from './seccomp-default.ts'
import { parseProfile, resolveProfile } from './seccomp-profile.ts'
import { parseSecurityOptions } from './security-options.ts'

interface Plain {
  architectures: string[]
  syscalls: { names: string[]; action: string; errnoRet?: number; args?: object[] }[]
}

const resolve = (capabilities: string[], architecture = 'x86_64'): Plain =>
  resolveProfile(defaultProfile, { capabilities, architecture, kernel: [6, 1] }) as Plain

const rulesFor = (name: string, plain: Plain) => plain.syscalls.filter(({ names }) => names.includes(name))

describe('the default seccomp profile', () => {
  it.each([
    'add_key',
    'keyctl',
    'request_key',
    'kexec_load',
    'pivot_root',
    'swapon',
    'userfaultfd',
    'io_uring_setup',
    'nfsservctl',
  ])('never has %s', (name) => {
    expect(rulesFor(name, resolve(['CAP_SYS_ADMIN', 'CAP_SYS_BOOT', 'CAP_SYS_MODULE']))).toEqual([])
  })

  it.each([
    ['mount', 'CAP_SYS_ADMIN'],
    ['init_module', 'CAP_SYS_MODULE'],
    ['reboot', 'CAP_SYS_BOOT'],
    ['clock_settime', 'CAP_SYS_TIME'],
    ['open_by_handle_at', 'CAP_DAC_READ_SEARCH'],
    ['chroot', 'CAP_SYS_CHROOT'],
    ['bpf', 'CAP_BPF'],
  ])('has %s only with %s', (name, capability) => {
    expect(rulesFor(name, resolve([]))).toEqual([])
    expect(rulesFor(name, resolve([capability]))).toHaveLength(1)
  })

  it('lets clone make no namespaces and hides clone3, unless the container administers the system', () => {
    expect(rulesFor('clone', resolve([]))[0]?.args).toEqual([
      { index: 0, value: 0x7e020000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' },
    ])
    expect(rulesFor('clone3', resolve([]))).toEqual([
      expect.objectContaining({ action: 'SCMP_ACT_ERRNO', errnoRet: 38 }),
    ])
    const free = resolve(['CAP_SYS_ADMIN'])
    expect(rulesFor('clone', free)[0]?.args).toBeUndefined()
    expect(rulesFor('clone3', free)).toEqual([expect.objectContaining({ action: 'SCMP_ACT_ALLOW' })])
  })

  it('is for both kinds of machine', () => {
    expect(resolve([]).architectures).toEqual(['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'])
    expect(resolve([], 'aarch64').architectures).toEqual(['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM'])
    expect(rulesFor('arch_prctl', resolve([]))).toHaveLength(1)
    expect(rulesFor('arch_prctl', resolve([], 'aarch64'))).toEqual([])
  })
})

describe('seccomp profiles of callers', () => {
  const profile = {
    defaultAction: 'SCMP_ACT_ALLOW',
    syscalls: [
      { names: ['mkdir'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
      { name: 'chmod', action: 'SCMP_ACT_ERRNO', excludes: { caps: ['CAP_SYS_ADMIN'] } },
      { names: ['kcmp'], action: 'SCMP_ACT_ERRNO', includes: { minKernel: '9.0' } },
    ],
  }

  it('are taken with their conditions', () => {
    const parsed = parseProfile(JSON.stringify(profile))
    if (typeof parsed === 'string') throw new Error(parsed)
    const plain = resolveProfile(parsed, { capabilities: [], architecture: 'aarch64', kernel: [6, 1] }) as Plain
    expect(plain.syscalls.map(({ names }) => names)).toEqual([['mkdir'], ['chmod']])
    expect(plain.architectures).toEqual(['SCMP_ARCH_AARCH64'])
  })

  it.each([
    ['seccomp=unconfined', 'unconfined'],
    ['seccomp:unconfined', 'unconfined'],
    ['seccomp=builtin', 'default'],
  ])('%s', (text, expected) => {
    expect(parseSecurityOptions([text]).options.seccomp).toBe(expected)
  })

  it('are refused when they cannot be read', () => {
    expect(parseSecurityOptions(['seccomp={']).problems).toEqual([
      expect.stringContaining('Decoding seccomp profile failed'),
    ])
    expect(parseSecurityOptions(['seccomp={"syscalls":[]}']).problems).toEqual([
      expect.stringContaining('invalid seccomp profile: defaultAction'),
    ])
    expect(parseSecurityOptions(['magic=1', 'apparmor=mine']).problems).toHaveLength(2)
  })
})
