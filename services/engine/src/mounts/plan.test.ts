import { describe, expect, it } from 'vitest'
import type { MountPoint } from '../resources/containers/record.ts'
import { testConfig, testHostConfig } from '../runtime/oci/testing/spec-input.ts'
import { planMounts } from './plan.ts'

const other: MountPoint[] = [
  {
    Type: 'volume',
    Name: 'theirs',
    Source: '/v/theirs/_data',
    Destination: '/theirs',
    Driver: 'local',
    Mode: '',
    RW: true,
    Propagation: '',
  },
  { Type: 'bind', Source: '/h', Destination: '/shared', Mode: '', RW: false, Propagation: 'rprivate' },
]
const plan = (hostConfig: object, config: object = {}, ways: string[] = []) =>
  planMounts(testConfig(config), testHostConfig(hostConfig), {
    mountsOf: (name) => (name === 'other' ? other : undefined),
    ways: new Set(ways),
    engineFolder: '/var/lib/atoll/engine',
  })
const points = (hostConfig: object, config: object = {}, ways: string[] = []) => {
  const { mounts, problems } = plan(hostConfig, config, ways)
  expect(problems).toEqual([])
  return mounts.map(({ point }) => point)
}
const problems = (hostConfig: object, config: object = {}) => plan(hostConfig, config).problems

describe('mounts of a container', () => {
  it('come from all places at once', () => {
    const asked = {
      Binds: ['/h:/bind', 'vol:/named:ro'],
      Mounts: [{ Type: 'volume', Source: 'data', Target: '/mount' }],
      Tmpfs: { '/tmp': 'size=64k' },
      VolumesFrom: ['other'],
    }
    expect(
      points(asked, { Volumes: { '/own': {}, '/bind': {} } }).map(({ Type, Destination, RW }) => [
        Type,
        Destination,
        RW,
      ]),
    ).toEqual([
      ['volume', '/theirs', true],
      ['bind', '/shared', false],
      ['bind', '/bind', true],
      ['volume', '/named', false],
      ['volume', '/mount', true],
      ['tmpfs', '/tmp', true],
      ['volume', '/own', true],
    ])
  })

  it('keep image content out with nocopy', () => {
    expect(points({ Binds: ['vol:/data:nocopy'] })[0]?.options).toMatchObject({ noCopy: true })
    expect(problems({ Binds: ['/host:/data:nocopy'] })).toEqual([expect.stringContaining('invalid mode: nocopy')])
  })

  it.each(['default', 'consistent', 'cached', 'delegated'])('take Consistency %s', (Consistency) => {
    expect(problems({ Mounts: [{ Type: 'volume', Source: 'data', Target: '/a', Consistency }] })).toEqual([])
    expect(problems({ Binds: [`/h:/a:ro,z,${Consistency},rslave`] })).toEqual([])
  })

  it('are read-only at the top alone for older callers', () => {
    expect(points({ Binds: ['/h:/a:ro'] }, {}, ['read-only-at-the-top'])[0]?.options).toMatchObject({
      readOnlyNonRecursive: true,
    })
    expect(points({ Binds: ['/h:/a:ro'] })[0]?.options).not.toHaveProperty('readOnlyNonRecursive')
  })

  it('have their options', () => {
    const bind = (BindOptions: object) =>
      points({ Mounts: [{ Type: 'bind', Source: '/h', Target: '/a', ReadOnly: true, BindOptions }] })[0]?.options
    expect(bind({ NonRecursive: true })).toEqual({ nonRecursive: true })
    expect(bind({ ReadOnlyNonRecursive: true })).toEqual({ readOnlyNonRecursive: true })
    expect(bind({ ReadOnlyForceRecursive: true })).toEqual({ readOnlyForceRecursive: true })
    expect(bind({ CreateMountpoint: true })).toEqual({ createMountpoint: true })
    const TmpfsOptions = { SizeBytes: 65_536, Mode: 0o700, Options: [['uid', '1000'], ['exec']] }
    expect(points({ Mounts: [{ Type: 'tmpfs', Target: '/a', TmpfsOptions }] })[0]?.options?.tmpfs).toEqual([
      'exec',
      'nosuid',
      'nodev',
      'mode=700',
      'size=65536',
      'uid=1000',
    ])
    const VolumeOptions = { Subpath: 'a/b', NoCopy: true }
    expect(points({ Mounts: [{ Type: 'volume', Source: 'data', Target: '/a', VolumeOptions }] })[0]?.options).toEqual({
      subpath: 'a/b',
      noCopy: true,
    })
  })

  it.each([
    [{ Type: 'volume', Source: 'data', BindOptions: {} }, 'field BindOptions must not be specified'],
    [{ Type: 'bind', Source: '/h', VolumeOptions: {} }, 'field VolumeOptions must not be specified'],
    [{ Type: 'bind', Source: '/h', TmpfsOptions: {} }, 'field TmpfsOptions must not be specified'],
    [{ Type: 'magic' }, 'mount type unknown'],
    [{ Type: 'bind' }, 'field Source must not be empty'],
    [{ Type: 'bind', Source: 'h' }, 'mount path must be absolute'],
    [{ Type: 'bind', Source: '/h', Target: '' }, 'field Target must not be empty'],
    [{ Type: 'bind', Source: '/h', Target: '/../' }, "destination can't be '/'"],
    [{ Type: 'bind', Source: '/h', BindOptions: { Propagation: 'odd' } }, 'invalid propagation mode: odd'],
    [{ Type: 'bind', Source: '/h', BindOptions: { ReadOnlyForceRecursive: true } }, 'need ReadOnly to be set'],
    [{ Type: 'volume', Source: '../x' }, 'includes invalid characters'],
    [{ Type: 'volume', ReadOnly: true }, 'must not set ReadOnly mode when using anonymous volumes'],
    [{ Type: 'volume', Source: 'data', VolumeOptions: { Subpath: '../out' } }, 'subpath must be a relative path'],
    [{ Type: 'volume', Source: 'data', VolumeOptions: { Subpath: '/abs' } }, 'subpath must be a relative path'],
    [{ Type: 'tmpfs', Source: 'x' }, 'field Source must not be specified'],
    [{ Type: 'tmpfs', TmpfsOptions: { Options: [['lowerdir', '/']] } }, 'invalid tmpfs option'],
  ])('are refused: %j', (mount, message) => {
    expect(problems({ Mounts: [{ Target: '/a', ...mount }] })).toEqual([expect.stringContaining(message)])
  })

  it.each([
    ['/h', 'invalid volume specification'],
    ['/h:', 'invalid volume specification'],
    [':/a', 'invalid volume specification'],
    ['/h:/', "destination can't be '/'"],
    ['/h:relative', 'mount path must be absolute'],
    ['/h:/a:rw,ro', 'invalid mode: rw,ro'],
    ['/h:/a:ro:more', 'invalid volume specification'],
    ['../x:/a', 'includes invalid characters'],
    ['/h:/a:shared,slave', 'invalid mode: shared,slave'],
    ['vol:/a:rslave', 'field BindOptions must not be specified'],
    ['/var/lib/atoll/engine/containers:/a:private', 'must use either propagation mode "rslave" or "rshared"'],
    ['/:/a:rprivate', 'must use either propagation mode "rslave" or "rshared"'],
  ])('are refused as a bind: %s', (bind, message) => {
    expect(problems({ Binds: [bind] })).toEqual([expect.stringContaining(message)])
  })

  it('are refused all together, with what they share', () => {
    expect(
      problems(
        { Binds: ['/h:/a', '/i:/a/', '/bad'], VolumesFrom: ['nobody', 'other:odd'], Tmpfs: { '/t': 'colour=red' } },
        { Volumes: { '/': {} } },
      ),
    ).toEqual([
      "invalid volume specification: '/bad'",
      'invalid tmpfs option ["colour=red"]',
      'Duplicate mount point: /a',
      'No such container: nobody',
      'invalid mode for volumes-from: odd',
      "invalid volume specification: '/'",
    ])
  })

  it('have the propagation asked for, or the one that the folder of the engine needs', () => {
    const engine = '/var/lib/atoll/engine'
    const propagation = (bind: string) => points({ Binds: [bind] })[0]?.Propagation
    for (const mode of ['private', 'rprivate', 'shared', 'rshared', 'slave', 'rslave']) {
      expect(propagation(`/h:/a:${mode}`)).toBe(mode)
    }
    expect(propagation('/h:/a')).toBe('rprivate')
    expect(propagation(`${engine}2:/a`)).toBe('rprivate')
    for (const source of ['/', '/var/lib', engine, `${engine}/containers`]) {
      expect(propagation(`${source}:/a`)).toBe('rslave')
      expect(propagation(`${source}:/a:rshared`)).toBe('rshared')
    }
    expect(problems({ VolumesFrom: ['other:shared'] })).toEqual(['invalid mode for volumes-from: shared'])
  })

  it('take the mounts of others to read only when told so', () => {
    expect(points({ VolumesFrom: ['other:ro'] }).map(({ RW }) => RW)).toEqual([false, false])
  })
})
