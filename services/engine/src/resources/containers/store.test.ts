// Containers in both databases.
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { containerMigrations } from './migration.ts'
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
    const { queries } = await open(containerMigrations)
    await insertContainer(queries, recordOf('1', 'one'))
    await insertContainer(queries, recordOf('2', 'two'))
    await expect(insertContainer(queries, recordOf('3', 'one'))).rejects.toThrow()
    await saveContainer(queries, { ...recordOf('1', 'renamed'), restartCount: 4 })
    await deleteContainer(queries, '2')
    expect(await loadContainers(queries)).toEqual([{ ...recordOf('1', 'renamed'), restartCount: 4 }])
  })

  it('of engines of before are the tasks that their labels name', async () => {
    const { queries } = await open(containerMigrations)
    const Labels = { 'com.docker.swarm.task.id': 'known' }
    const [task, own] = [{ ...recordOf('1', 'one'), config: { Labels } as never }, recordOf('2', 'two')]
    for (const record of [task, own]) await insertContainer(queries, record)
    await containerMigrations.at(-1)?.up(queries as never)
    const loaded = (await loadContainers(queries)).toSorted((one, next) => one.id.localeCompare(next.id))
    expect(loaded).toEqual([{ ...task, taskId: 'known' }, own])
  })
})
