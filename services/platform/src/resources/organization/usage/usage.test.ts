import { expect, it } from 'vitest'
import type { UsageEvent } from '../../../inference/usage/event.ts'
import { usageEvent } from '../../../inference/usage/testing/usage-event.ts'
import { describePlatform, type TestPlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import { adminOf, refusalOf } from '../testing/admin-client.ts'
import { asPage, type UsagePage } from './testing/usage-page.ts'

const minute = 60
const hour = 3_600
const day = 86_400
/** A midnight of long ago. */
const midnight = 1_700_006_400

/** Writes down what services will when they have answered calls. */
async function record(platform: TestPlatform, events: (Partial<UsageEvent> & { id: string })[]): Promise<void> {
  const { organizationId: organization_id, projectId: project_id } = platform.caller
  const { usage } = platform.platform.inference
  for (const event of events) usage.record(usageEvent({ organization_id, project_id, created_at: midnight, ...event }))
  await usage.flush()
}

const nobody = { project_id: null, user_id: null, api_key_id: null, model: null }
const oneDay = { start_time: midnight, end_time: midnight + day }

describePlatform('usage', (start) => {
  it('of real calls is in the buckets of the minute, hour and day they were made in (AST-265, AST-266, AST-272)', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['hello']]).runtimes })
    const began = Math.floor(Date.now() / 1000)
    const messages = [{ role: 'user', content: 'hi' }]
    for (let n = 0; n < 3; n++) await platform.post('/v1/chat/completions', { model: 'gpt-4o', messages })
    await platform.platform.inference.usage.flush()
    const { usage } = adminOf(platform)
    for (const [bucket_width, seconds] of [
      ['1m', minute],
      ['1h', hour],
      ['1d', day],
    ] as const) {
      const page = asPage(await usage.completions({ start_time: began, bucket_width }))
      expect(page).toMatchObject({ object: 'page', has_more: false, next_page: null })
      checkPublished('UsageResponse', page)
      for (const bucket of page.data) {
        expect(bucket).toMatchObject({ object: 'bucket', end_time: bucket.start_time + seconds })
        expect(bucket.start_time % seconds).toBe(0)
      }
      expect(page.data[0]?.start_time).toBe(began - (began % seconds))
      const sum = (name: string) =>
        page.data.flatMap(({ results }) => results).reduce((total, result) => total + Number(result[name]), 0)
      expect([sum('num_model_requests'), sum('input_tokens'), sum('output_tokens')]).toEqual([3, 30, 15])
    }
  })

  it('tells completions by project, user, key, model and batch (AST-270, AST-271, AST-272)', async () => {
    const platform = await start()
    await record(platform, [
      { id: 'a', model: 'big', api_key_id: 'key_1' },
      { id: 'b', model: 'big', api_key_id: 'key_2', batch: 1, operation: 'completions' },
      { id: 'c', model: 'small', api_key_id: 'key_1', user_id: null, service_account_id: 'svc_1' },
      { id: 'd', organization_id: 'org_other' },
      { id: 'e', operation: 'embeddings' },
    ])
    const { usage } = adminOf(platform)
    const ask = async (query: object) => {
      const page = asPage(await usage.completions({ ...oneDay, ...query }))
      checkPublished('UsageResponse', page)
      return page.data[0]?.results
    }
    const used = (n: number) => ({
      ...{ object: 'organization.usage.completions.result', num_model_requests: n },
      ...{ input_tokens: 10 * n, output_tokens: 5 * n, input_cached_tokens: 4 * n },
    })
    expect(await ask({})).toEqual([{ ...used(3), ...nobody, batch: null }])
    expect(await ask({ group_by: ['model'] })).toEqual([
      { ...used(2), ...nobody, batch: null, model: 'big' },
      { ...used(1), ...nobody, batch: null, model: 'small' },
    ])
    const project_id = platform.caller.projectId
    expect(await ask({ group_by: ['batch', 'project_id', 'user_id', 'api_key_id', 'model'] })).toEqual([
      { ...used(1), project_id, user_id: null, api_key_id: 'key_1', model: 'small', batch: false },
      { ...used(1), project_id, user_id: 'user_1', api_key_id: 'key_1', model: 'big', batch: false },
      { ...used(1), project_id, user_id: 'user_1', api_key_id: 'key_2', model: 'big', batch: true },
    ])
    const filters = [
      [{ models: ['small', 'none'] }, 1],
      [{ api_key_ids: ['key_1'] }, 2],
      [{ user_ids: ['user_1'] }, 2],
      [{ project_ids: [project_id] }, 3],
      [{ batch: true }, 1],
      [{ batch: false, models: ['big'] }, 1],
    ] as const
    for (const [filter, n] of filters) expect(await ask(filter)).toEqual([{ ...used(n), ...nobody, batch: null }])
    expect(await ask({ project_ids: ['proj_none'] })).toEqual([])
  })

  it('tells embeddings, moderations, images and audio in their own measures (AST-273, AST-274, AST-275, AST-276, AST-277, AST-278)', async () => {
    const platform = await start()
    const none = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }
    const image = { ...none, operation: 'images', model: 'dall-e-3', size: '1024x1024' }
    const speech = { ...none, operation: 'audio_speeches', model: 'tts-1' }
    const listening = { ...none, operation: 'audio_transcriptions', model: 'whisper-1' }
    await record(platform, [
      { id: 'a', operation: 'embeddings', model: 'embed' },
      { id: 'b', operation: 'moderations', model: 'judge' },
      { ...image, id: 'c', images: 2, source: 'image.generation' },
      { ...image, id: 'd', images: 1, source: 'image.edit', size: '256x256' },
      { ...image, id: 'e', images: 4, source: 'image.variation' },
      { ...speech, id: 'f', characters: 45 },
      { ...speech, id: 'g', characters: 55 },
      { ...listening, id: 'h', audio_ms: 1_400 },
      { ...listening, id: 'i', audio_ms: 1_400 },
    ])
    const { usage } = adminOf(platform)
    const results = async (asked: Promise<unknown>) => {
      const page = asPage(await asked)
      checkPublished('UsageResponse', page)
      return page.data[0]?.results
    }
    const tokens = { input_tokens: 10, num_model_requests: 1, ...nobody }
    expect(await results(usage.embeddings({ ...oneDay, group_by: ['model'] }))).toEqual([
      { object: 'organization.usage.embeddings.result', ...tokens, model: 'embed' },
    ])
    expect(await results(usage.moderations(oneDay))).toEqual([
      { object: 'organization.usage.moderations.result', ...tokens },
    ])
    const images = { object: 'organization.usage.images.result', ...nobody, size: null, source: null }
    expect(await results(usage.images(oneDay))).toEqual([{ ...images, images: 7, num_model_requests: 3 }])
    expect(await results(usage.images({ ...oneDay, group_by: ['source'] }))).toEqual([
      { ...images, images: 1, num_model_requests: 1, source: 'image.edit' },
      { ...images, images: 2, num_model_requests: 1, source: 'image.generation' },
      { ...images, images: 4, num_model_requests: 1, source: 'image.variation' },
    ])
    expect(await results(usage.images({ ...oneDay, group_by: ['size'], sources: ['image.edit'] }))).toEqual([
      { ...images, images: 1, num_model_requests: 1, size: '256x256' },
    ])
    expect(await results(usage.images({ ...oneDay, sizes: ['1024x1024'] }))).toMatchObject([{ images: 6 }])
    expect(await results(usage.audioSpeeches(oneDay))).toEqual([
      { object: 'organization.usage.audio_speeches.result', characters: 100, num_model_requests: 2, ...nobody },
    ])
    expect(await results(usage.audioTranscriptions(oneDay))).toEqual([
      { object: 'organization.usage.audio_transcriptions.result', seconds: 3, num_model_requests: 2, ...nobody },
    ])
  })

  it('comes in pages, buckets without usage among them (AST-265, AST-267, AST-268, AST-269)', async () => {
    const platform = await start()
    await record(platform, [
      { id: 'a', created_at: midnight + 59 },
      { id: 'b', created_at: midnight + 60 },
      { id: 'c', created_at: midnight + 5 * minute },
      { id: 'd', created_at: midnight - 1 },
    ])
    const { usage } = adminOf(platform)
    const query = { start_time: midnight, end_time: midnight + 6 * minute, bucket_width: '1m', limit: 4 } as const
    const first = asPage(await usage.completions(query))
    const starts = ({ data }: UsagePage) => data.map(({ start_time }) => (start_time - midnight) / minute)
    const calls = ({ data }: UsagePage) => data.map(({ results }) => results[0]?.num_model_requests ?? 0)
    expect([starts(first), calls(first), first.has_more]).toEqual([[0, 1, 2, 3], [1, 1, 0, 0], true])
    expect(first.data[2]?.results).toEqual([])
    const page = first.next_page ?? ''
    expect(page).not.toBe('')
    const second = asPage(await usage.completions({ ...query, page }))
    expect([starts(second), calls(second), second.has_more]).toEqual([[4, 5], [0, 1], false])
    expect(second.next_page).toBe(null)
    expect(starts(asPage(await usage.completions({ ...query, page, limit: 1 })))).toEqual([4])
    const others = [
      usage.completions({ ...query, page, group_by: ['model'] }),
      usage.completions({ ...query, page, models: ['x'] }),
      usage.completions({ ...query, page, start_time: midnight + 1 }),
      usage.completions({ ...query, page, bucket_width: '1h' }),
      usage.embeddings({ ...query, page }),
      usage.completions({ ...query, page: `${page.slice(0, -2)}AA` }),
      usage.completions({ ...query, page: 'page_x' }),
      usage.completions({ ...query, page: 'x' }),
    ]
    for (const other of others) expect(await refusalOf(other)).toMatchObject({ status: 400, param: 'page' })
  })

  it('has pages up to the limits of their width (AST-268, AST-269)', async () => {
    const { usage } = adminOf(await start())
    const sizes = [
      ['1m', minute, 60, 1440],
      ['1h', hour, 24, 168],
      ['1d', day, 7, 31],
    ] as const
    for (const [bucket_width, seconds, usual, most] of sizes) {
      const query = { start_time: midnight, end_time: midnight + 1_500 * seconds, bucket_width }
      expect((await usage.completions(query)).data).toHaveLength(usual)
      const { data } = await usage.completions({ ...query, limit: most })
      expect(data).toHaveLength(most)
      expect(data.at(-1)?.end_time).toBe(midnight + most * seconds)
      expect(await refusalOf(usage.completions({ ...query, limit: most + 1 }))).toMatchObject({
        ...{ status: 400, param: 'limit' },
        message: expect.stringContaining(String(most)),
      })
    }
  })

  it('understands lists however they are spelled (AST-270)', async () => {
    const platform = await start()
    await record(platform, [
      { id: 'a', model: 'big' },
      { id: 'b', model: 'small', batch: 1 },
    ])
    const admin = platform.as(platform.adminKey)
    const path = `/v1/organization/usage/completions?start_time=${midnight}&limit=1`
    const spellings = [
      'group_by=model,batch&models=big,small',
      'group_by=model&group_by=batch&models=big&models=small',
      'group_by[]=model&group_by[]=batch&models[]=big&models[]=small',
      'group_by%5B%5D=batch&group_by%5B%5D=model&models%5B0%5D=big&models%5B1%5D=small',
    ]
    for (const spelling of spellings) {
      const page = asPage(await (await admin.get(`${path}&${spelling}`)).json())
      expect(page.data[0]?.results).toMatchObject([
        { model: 'big', batch: false, num_model_requests: 1 },
        { model: 'small', batch: true, num_model_requests: 1 },
      ])
    }
  })

  it('refuses what it does not understand, and says what it does (AST-267, AST-268, AST-270)', async () => {
    const platform = await start()
    const admin = platform.as(platform.adminKey)
    const refusals = [
      ['', 'start_time', /Missing required parameter: 'start_time'/],
      ['start_time=yesterday', 'start_time', /an integer/],
      ['start_time=-1', 'start_time', /start_time/],
      [`start_time=${midnight}&end_time=${midnight}`, 'end_time', /later than 'start_time'/],
      ['start_time=1&bucket_width=2h', 'bucket_width', /'1m', '1h', and '1d'/],
      ['start_time=1&limit=0', 'limit', /limit/],
      ['start_time=1&group_by=colour', 'group_by[0]', /'project_id', 'user_id'/],
      ['start_time=1&batch=perhaps', 'batch', /boolean/],
      ['start_time=1&sizes=1x1', 'sizes', /Unknown parameter/],
    ] as const
    for (const [query, param, message] of refusals) {
      const response = await admin.get(`/v1/organization/usage/completions?${query}`)
      const { error } = await response.json()
      expect([response.status, error.param]).toEqual([400, param])
      expect(error.message).toMatch(message)
    }
    expect((await platform.get('/v1/organization/usage/completions?start_time=1')).status).toBe(403)
  })
})
