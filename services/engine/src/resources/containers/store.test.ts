// Containers in both databases.
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { containersMigration } from './migration.ts'
import type { ContainerRecord } from './record.ts'
import { deleteContainer, insertContainer, loadContainers, saveContainer } from './store.ts'

const recordOf = (id: string, name: string): ContainerRecord => ({
  id,
  name,
  created: '2026-01-01T00:00:00Z',
  imageId: 'sha256:1',
  imageName: 'busybox',
  os: 'linux',
  config: { Labels: { é: '☃' } } as never,
  hostConfig: {} as never,
  endpoints: {},
  mounts: [],
  path: 'sh',
  args: ['-c'],
  state: {
    status: 'created',
    pid: 0,
    exitCode: 0,
    error: '',
    oomKilled: false,
    startedAt: '',
    finishedAt: '',
    stoppedByCaller: false,
  },
  restartCount: 0,
  ports: {},
})

describeBothDatabases('stored containers', (open) => {
  it('come back as they were, changed and gone', async () => {
    const { queries } = await open([containersMigration])
    await insertContainer(queries, recordOf('1', 'one'))
    await insertContainer(queries, recordOf('2', 'two'))
    await expect(insertContainer(queries, recordOf('3', 'one'))).rejects.toThrow()
    await saveContainer(queries, { ...recordOf('1', 'renamed'), restartCount: 4 })
    await deleteContainer(queries, '2')
    expect(await loadContainers(queries)).toEqual([{ ...recordOf('1', 'renamed'), restartCount: 4 }])
  })
})
