// Images, and where they come from.
import { expect } from 'vitest'
import { type Proof, proof } from './proof.ts'

const image = 'GET /images/:name/json'
const images = 'GET /images/json'
const build = 'POST /build'

export const imageProofs: Record<string, Proof> = {
  'Steps of a build have a CPU period and quota.': proof('', async (at) => {
    await at.asks(build, 'cpuperiod', '5')
    await at.asks(build, 'cpuquota', '5')
  }),
  'Builds take variables.': proof('', (at) => at.asks(build, 'buildargs', '{}')),
  'Builds take a network and images to take layers from.': proof('', async (at) => {
    await at.asks(build, 'networkmode', 'host')
    await at.asks(build, 'cachefrom', '[]')
  }),
  'Builds take names of further hosts.': proof('', (at) => at.asks(build, 'extrahosts', 'a:1.2.3.4')),
  'A build tells the id of each image it makes.': proof('', async (at) => {
    await at.way('build-before-1.30', build)
    expect((await at.call('1.29', build)).text).not.toContain('aux')
    expect((await at.call('1.30', build)).text).toContain('{"aux":{"ID":"sha256:1"}}')
  }),
  'Builds take outputs.': proof('', (at) => at.asks(build, 'outputs', '[]')),
  'An image tells its tags and digests.': proof('', (at) => at.shows(image, 'RepoTags', 'RepoDigests')),
  'Loading images tells its progress as JSON, unless it is asked to be quiet; it told nothing.': proof(
    '',
    async (at) => {
      await at.asks('POST /images/load', 'quiet', '1')
      await at.way('load-without-progress', 'POST /images/load')
    },
  ),
  'Searching for images takes filters and a limit.': proof('', async (at) => {
    await at.asks('GET /images/search', 'limit', '5')
    await at.asks('GET /images/search', 'filters', '{}')
  }),
  'Images can be filtered by what came before them and after.': proof('', (at) =>
    at.filters(images, 'since', 'before'),
  ),
  'Tags are moved without being asked to.': proof('', (at) =>
    at.query('POST /images/:name/tag', { force: '1' }, 'force', '1', undefined),
  ),
  'Images can be filtered by reference.': proof('', (at) => at.filters(images, 'reference')),
  'An image tells the version of its system, and no base layer any more.': proof('', async (at) => {
    await at.shows(image, 'OsVersion')
    await at.tells(image, 'RootFS.BaseLayer', '', undefined)
  }),
  'Images can be looked at in their registry.': proof('', (at) => at.status('GET /distribution/:name/json', 404, 200)),
  'An image tells when it was tagged last.': proof('', (at) => at.shows(image, 'Metadata')),
  'Images can be pulled and imported for a platform.': proof('', async (at) => {
    await at.asks('POST /images/create', 'platform', 'linux/amd64')
    const imported = { fromSrc: '-', platform: 'linux/arm64' }
    await at.query('POST /images/create', imported, 'platform', 'linux/arm64', 'linux/arm64')
  }),
  'Images are filtered by reference; there was a parameter of its own for it.': proof('', async (at) => {
    const asked = { filter: 'busybox' }
    await at.query(images, asked, 'filters', '{"reference":["busybox"]}', undefined)
    await at.query(images, asked, 'filter', undefined, undefined)
    const withOthers = { filter: 'a', filters: '{"reference":{"b":true},"dangling":["false"]}' }
    const older = await at.call('1.40', images, { query: withOthers })
    expect(JSON.parse(String(older.seen.query.filters))).toEqual({ reference: ['b', 'a'], dangling: ['false'] })
    const oldest = await at.call('1.18', images, { query: withOthers })
    expect(JSON.parse(String(oldest.seen.query.filters))).toEqual({ reference: ['a'], dangling: ['false'] })
  }),
  'Lists of images tell shared sizes when asked.': proof('', (at) => at.asks(images, 'shared-size', '1')),
  'Images without a name have no tags and digests; they had placeholders.': proof('', async (at) => {
    await at.tells(images, '0.RepoTags', ['<none>:<none>'], [])
    await at.tells(images, '0.RepoDigests', ['<none>@<none>'], [])
    await at.tells(images, '1.RepoDigests', [], [])
  }),
  'Images have one size; they had it under a second name.': proof('', async (at) => {
    await at.tells(image, 'VirtualSize', 7, undefined)
    await at.tells(images, '1.VirtualSize', 8, undefined)
    await at.tells('GET /system/df', 'Images.0.VirtualSize', 7, undefined)
  }),
  'Images that do not tell when they were made have no such time; they had one long ago.': proof('', (at) =>
    at.tells(image, 'Created', '0001-01-01T00:00:00Z', undefined),
  ),
  'Images do not tell the container they were made from; they did.': proof('', async (at) => {
    await at.tells(image, 'Container', '', undefined)
    await at.tells(image, 'ContainerConfig', { Cmd: ['sh'] }, undefined)
  }),
  'One platform of an image can be pushed.': proof('', (at) =>
    at.asks('POST /images/:name/push', 'platform', '{"os":"linux"}'),
  ),
  'Lists of images tell what each is made of when asked.': proof('', async (at) => {
    await at.asks(images, 'manifests', 'true')
    await at.shows(images, '0.Manifests')
  }),
}
