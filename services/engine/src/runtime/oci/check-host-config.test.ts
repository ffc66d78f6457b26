import { describe, expect, it } from 'vitest'
import { checkHostConfig } from './check-host-config.ts'
import { createWarnings } from './create-warnings.ts'
import { testHost, testHostConfig } from './testing/spec-input.ts'

const check = (hostConfig: object, host = testHost()) => checkHostConfig(testHostConfig(hostConfig), host)
const warnings = (hostConfig: object, host = testHost()) => createWarnings(testHostConfig(hostConfig), host)
const mb = 1024 * 1024

describe('what a container cannot be made of', () => {
  it.each([
    ['Minimum memory limit allowed is 6MB', { Memory: 5 * mb }],
    ['Minimum memoryswap limit should be larger', { Memory: 10 * mb, MemorySwap: 9 * mb }],
    ['You should always set the Memory limit', { MemorySwap: 10 * mb }],
    ['valid memory swappiness range is 0-100', { MemorySwappiness: 101 }],
    ['can not be less than memory reservation', { Memory: 10 * mb, MemoryReservation: 11 * mb }],
    ['Nano CPUs and CPU Period cannot both be set', { NanoCpus: 1e9, CpuPeriod: 100_000 }],
    ['Range of CPUs is from 0.01 to 4.00', { NanoCpus: 5e9 }],
    ['CPU cfs period can not be less than 1ms', { CpuPeriod: 10 }],
    ['CPU cfs quota can not be less than 1ms', { CpuQuota: 10 }],
    ['Requested CPUs are not available - requested 0-9, available: 0-3', { CpusetCpus: '0-9' }],
    ['Invalid value x for cpuset cpus', { CpusetCpus: 'x' }],
    ['Range of blkio weight is from 10 to 1000', { BlkioWeight: 5 }],
    ['invalid ulimit type: nothing', { Ulimits: [{ Name: 'nothing', Soft: 1, Hard: 1 }] }],
    [
      'ulimit soft limit must be less than or equal to hard limit: 2 > 1',
      { Ulimits: [{ Name: 'nofile', Soft: 2, Hard: 1 }] },
    ],
    ['invalid CapAdd: unknown capability: "CAP_MAGIC"', { CapAdd: ['magic'] }],
    ['is not whitelisted', { Sysctls: { 'kernel.panic': '1' } }],
    ['shares a network namespace', { NetworkMode: 'host', Sysctls: { 'net.ipv4.ip_forward': '1' } }],
    ['shares an IPC namespace', { IpcMode: 'host', Sysctls: { 'kernel.shmmax': '1' } }],
    ['must be supplied using driver option', { Sysctls: { 'net.ipv4.conf.eth0.forwarding': '1' } }],
    ['invalid user namespace mode: mine', { UsernsMode: 'mine' }],
    ['invalid cgroup namespace mode: mine', { CgroupnsMode: 'mine' }],
    ['invalid device cgroup rule format', { DeviceCgroupRules: ['everything'] }],
    ['bad mode for device', { Devices: [{ PathOnHost: '/dev/null', CgroupPermissions: 'x' }] }],
    ['range for oom score adj is [-1000, 1000]', { OomScoreAdj: 2_000 }],
    ['SHM size can not be less than 0', { ShmSize: -1 }],
    ['invalid CgroupParent', { CgroupParent: '/a/../../b' }],
    ['unknown option compression', { StorageOpt: { compression: 'on' } }],
    ["invalid size: 'much'", { StorageOpt: { size: 'much' } }],
    ['invalid masked or read-only path', { MaskedPaths: ['../etc'] }],
  ])('%s', (message, hostConfig) => {
    expect(check(hostConfig)).toEqual([expect.stringContaining(message)])
  })

  it('is told at once', () => {
    expect(check({ Memory: 1, CapAdd: ['magic'], OomScoreAdj: 9_999, ShmSize: -1 })).toHaveLength(4)
  })

  it.each([
    ['nothing', {}],
    ['no storage options', { StorageOpt: {} }],
    ['a size of its files', { StorageOpt: { size: '1G' } }],
    ['devices of Windows', { Devices: [{ PathOnHost: 'class://86E0D1E0' }] }],
    [
      'parameters of its own namespaces',
      { Sysctls: { 'net.core.somaxconn': '1024', 'kernel.shmmax': '1', 'fs.mqueue.msg_max': '20' } },
    ],
    ['control group namespaces', { CgroupnsMode: 'private' }],
    ['the user namespace of the host', { UsernsMode: 'host' }],
    ['requests for devices', { DeviceRequests: [{ Count: -1, Capabilities: [['gpu']] }] }],
    ['unlimited swap', { Memory: 10 * mb, MemorySwap: -1 }],
  ])('but it can be made of %s', (_, hostConfig) => {
    expect(check(hostConfig)).toEqual([])
  })
})

describe('warnings at creation', () => {
  it.each(['CpuCount', 'CpuPercent', 'IOMaximumIOps', 'IOMaximumBandwidth'])(
    '%s is taken, and has no effect here',
    (field) => {
      expect(check({ [field]: 2 })).toEqual([])
      expect(warnings({ [field]: 2 })).toEqual([`${field} is for Windows containers only and has no effect.`])
    },
  )

  it('tell ahead that a request for devices cannot be met', () => {
    expect(warnings({ DeviceRequests: [{ Count: 1, Capabilities: [['gpu']] }] })).toEqual([
      expect.stringContaining('could not select device driver'),
    ])
  })

  it('tell older callers that kernel memory has no limit', () => {
    expect(warnings({ KernelMemory: 64 * mb })).toEqual([expect.stringContaining('kernel memory')])
  })

  it('tell that runc limits no TCP memory', () => {
    expect(warnings({ KernelMemoryTCP: 8 * mb, Runtime: 'runc' })).toEqual([
      expect.stringContaining('KernelMemoryTCP has no effect'),
    ])
    expect(warnings({ KernelMemoryTCP: 8 * mb, Runtime: 'crun' })).toEqual([])
  })

  it('are none for an ordinary container', () => {
    expect(warnings({ Memory: 64 * mb, Ulimits: [{ Name: 'nofile', Soft: 1, Hard: 1 }] })).toEqual([])
  })
})
