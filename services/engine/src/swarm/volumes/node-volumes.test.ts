// Volumes of a cluster on one machine whose plugin does not always do what it is asked for.
import { silentLog } from '@atoll/testkit/silent-log'
import { expect, it } from 'vitest'
import type { CsiPlugins } from '../../plugins/csi/csi-plugins.ts'
import type { NodeVolume } from './node-volume.ts'
import { NodeVolumes } from './node-volumes.ts'

const volume = (state: NodeVolume['state']): NodeVolume => ({
  ...{ id: 'one', name: 'data', driver: 'csi', state, volumeId: 'made-data', context: {}, publishContext: {} },
  ...{ secrets: {}, access: { Scope: 'single', Sharing: 'none' } as NodeVolume['access'] },
})

function begin() {
  const done: string[] = []
  const asked = { times: 0, isWell: true }
  const node = {
    name: 'csi',
    publish: async () => `/brought/${done.push('brought')}`,
    async unpublish() {
      asked.times++
      if (!asked.isWell) throw new Error('busy')
      done.push('taken away')
    },
  }
  const plugins = { node: () => node, nodes: () => [node], listen: () => () => {} } as unknown as CsiPlugins
  const volumes = new NodeVolumes({ plugins, log: silentLog })
  return { volumes, done, asked }
}

it('one that managers forget by force is taken away all the same, once the plugin can', async () => {
  for (const state of ['published', 'pending-node-unpublish'] as const) {
    const { volumes, done, asked } = begin()
    asked.isWell = false
    volumes.volume(volume('published'))
    await volumes.path('one', new AbortController().signal)
    if (state !== 'published') volumes.volume(volume(state))
    volumes.volumeGone('one')
    await expect.poll(() => asked.times).toBeGreaterThan(0)
    asked.isWell = true
    await expect.poll(() => done, { timeout: 5_000 }).toEqual(['brought', 'taken away'])
    await volumes.stop(false)
  }
})

it('one that is wanted again meanwhile stays', async () => {
  const { volumes, done, asked } = begin()
  asked.isWell = false
  volumes.volume(volume('published'))
  await volumes.path('one', new AbortController().signal)
  volumes.volume(volume('pending-node-unpublish'))
  await expect.poll(() => asked.times).toBeGreaterThan(0)
  volumes.volume(volume('published'))
  asked.isWell = true
  await volumes.path('one', new AbortController().signal)
  expect(done).toEqual(['brought', 'brought'])
  await volumes.stop(false)
})

it('nothing stays on a machine that leaves', async () => {
  const { volumes, done } = begin()
  volumes.volume(volume('published'))
  await volumes.path('one', new AbortController().signal)
  await volumes.stop(true)
  expect(done).toEqual(['brought', 'taken away'])
})
