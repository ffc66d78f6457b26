// Downloads of models through the API, from a stand-in of the hub.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '@atoll/models/files/catalogue'
import { TestHub } from '@atoll/models/files/testing/hub'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../../testing/describe-platform.ts'
import type { ModelFileList, ModelFileObject } from './schema.ts'

const path = '/v1/organization/model_files'
const [listed] = catalogue
const name = listed?.name ?? ''
let hub: TestHub

async function randomModel(): Promise<Buffer> {
  const file = join(await tempDir(), 'm.gguf')
  writeRandomModel(file, { layers: 2, width: 128, vocabulary: 3_000, seed: 1 })
  return readFileSync(file)
}

beforeEach(async () => {
  hub = await TestHub.start()
  hub.files.set(`/${listed?.repository}/resolve/main/${listed?.file}`, await randomModel())
})
afterEach(() => hub.close())

async function until(admin: TestPlatform, isMeant: (file: ModelFileObject) => boolean): Promise<ModelFileObject> {
  for (;;) {
    const file = (await (await admin.get(`${path}/${name}`)).json()) as unknown as ModelFileObject
    if (isMeant(file)) return file
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describePlatformOnSqlite('files of models', (start) => {
  it('are listed, pulled by name with progress, stopped half-way and gone on with', async () => {
    const platform = await start({ config: { modelHub: hub.url } })
    const admin = platform.as(platform.adminKey)
    const { data } = (await (await admin.get(path)).json()) as unknown as ModelFileList
    expect(data[0]).toMatchObject({ id: name, status: 'available', fetched_bytes: 0, problem: null, is_listed: true })
    hub.chunkDelayMs = 50
    expect((await admin.post(`${path}/${name}/pull`)).status).toBe(200)
    expect((await admin.post(`${path}/${name}/pull`)).status).toBe(200)
    await until(admin, ({ fetched_bytes }) => fetched_bytes > 0)
    const stopped = (await (await admin.post(`${path}/${name}/cancel`)).json()) as unknown as ModelFileObject
    expect(stopped.status).toBe('partial')
    hub.chunkDelayMs = 0
    await admin.post(`${path}/${name}/pull`)
    const done = await until(admin, ({ status }) => status === 'installed')
    expect(done).toMatchObject({ bytes: done.fetched_bytes, problem: null })
    const again = await admin.post(`${path}/${name}/pull`)
    expect({ status: again.status, code: (await again.json()).error.code }).toEqual({
      status: 400,
      code: 'model_is_here',
    })
  }, 60_000)

  it('tell why a download failed, and fetch nothing that is not listed', async () => {
    hub.files.clear()
    const platform = await start({ config: { modelHub: hub.url } })
    const admin = platform.as(platform.adminKey)
    await admin.post(`${path}/${name}/pull`)
    const failed = await until(admin, ({ problem }) => problem !== null)
    expect(failed).toMatchObject({ status: 'available', problem: expect.stringMatching(/\w/) })
    const foreign = encodeURIComponent('http://127.0.0.1:1/x.gguf')
    expect((await admin.post(`${path}/${foreign}/pull`)).status).toBe(404)
    expect((await platform.get(path)).status).toBe(403)
  }, 60_000)
})
