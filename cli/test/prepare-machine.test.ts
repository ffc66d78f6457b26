import { expect, it } from 'vitest'
import { prepareClusterPrograms } from '../programs/cluster.ts'
import { prepareEnginePrograms } from '../programs/engine.ts'
import { prepareGroup } from '../programs/group.ts'
import { prepareHelm } from '../programs/helm.ts'
import { prepareHooksPrograms } from '../programs/hooks.ts'
import { prepareObjectStore } from '../programs/object-store.ts'
import { prepareBrowser } from './browser.ts'
import { preparePostgres } from './postgres.ts'
import { neededPreparations } from './prepare-machine.ts'

const needed = (...filters: string[]) => neededPreparations(filters).map(({ prepare }) => prepare)

it('installs for the chosen tests what they need, and nothing else', () => {
  expect(needed()).toEqual([
    preparePostgres,
    prepareEnginePrograms,
    prepareClusterPrograms,
    prepareHooksPrograms,
    prepareObjectStore,
    prepareGroup,
    prepareHelm,
    prepareBrowser,
  ])
  expect(needed('cli/console')).toEqual([preparePostgres, prepareBrowser])
  expect(needed('kernel/blobs')).toEqual([preparePostgres, prepareObjectStore])
  expect(needed('architecture')).toEqual([])
  expect(needed('packages/models')).toEqual([])
  expect(needed('platform/src/resources/files')).toEqual([preparePostgres])
  expect(needed('services/cluster')).toEqual([preparePostgres, prepareClusterPrograms])
  expect(needed('services/hooks', 'cli/engine/docker-tour')).toEqual([
    preparePostgres,
    prepareEnginePrograms,
    prepareHooksPrograms,
  ])
})
