import { expect, it } from 'vitest'
import { AuditLog } from '../../../../audit/audit-log.ts'
import { describeNodes, describePlatform, type TestPlatform } from '../../../../testing/describe-platform.ts'
import { checkPublished } from '../../../../testing/published-schemas.ts'
import { errorOf } from '../../../../testing/requests.ts'
import { ScriptedChatModel } from '../../../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../../../testing/wait-until.ts'
import { adminOf, allOf, refusalOf } from '../../testing/admin-client.ts'

const config = {
  models: [
    { id: 'big', runtime: 'builtin-chat', limits: { requestsPerMinute: 50, tokensPerMinute: 9_000 } },
    { id: 'small', runtime: 'builtin-chat', limits: { imagesPerMinute: 7 } },
    { id: 'org/third one', runtime: 'builtin-chat' },
  ],
  rateLimits: { requestsPerMinute: 100, tokensPerMinute: 10_000, imagesPerMinute: 10 },
}
const { runtimes } = new ScriptedChatModel([['hello']])

const chat = (platform: TestPlatform, model: string) =>
  platform.post('/v1/chat/completions', { model, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] })
const requestLimit = async (platform: TestPlatform, model: string) =>
  (await chat(platform, model)).headers.get('x-ratelimit-limit-requests')

describePlatform('rate limits of a project', (start) => {
  it('are one for each model, in pages (AST-251, AST-253, AST-254)', async () => {
    const platform = await start({ config, runtimes })
    const { rateLimits } = adminOf(platform).projects
    const { projectId } = platform.caller
    const all = await rateLimits.listRateLimits(projectId)
    const common = { object: 'project.rate_limit', max_requests_per_1_minute: 100, max_tokens_per_1_minute: 10_000 }
    expect(all.data).toEqual([
      {
        ...{ ...common, id: 'rl-big', model: 'big', max_images_per_1_minute: 10 },
        ...{ max_requests_per_1_minute: 50, max_tokens_per_1_minute: 9_000 },
      },
      { ...common, id: 'rl-small', model: 'small', max_images_per_1_minute: 7 },
      { ...common, id: 'rl-org/third one', model: 'org/third one', max_images_per_1_minute: 10 },
    ])
    for (const limit of all.data) checkPublished('ProjectRateLimit', limit)
    const path = `/v1/organization/projects/${projectId}/rate_limits`
    const list = await (await platform.as(platform.adminKey).get(path)).json()
    expect(list).toMatchObject({ object: 'list', first_id: 'rl-big', last_id: 'rl-org/third one', has_more: false })
    checkPublished('ProjectRateLimitListResponse', list)
    const ids = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id)
    const first = await rateLimits.listRateLimits(projectId, { limit: 2 })
    expect([ids(first), first.has_more]).toEqual([['rl-big', 'rl-small'], true])
    expect(ids(await rateLimits.listRateLimits(projectId, { after: 'rl-big', limit: 1 }))).toEqual(['rl-small'])
    expect(ids(await rateLimits.listRateLimits(projectId, { before: 'rl-org/third one', limit: 1 }))).toEqual([
      'rl-small',
    ])
    expect(ids(await rateLimits.listRateLimits(projectId, { after: 'rl-org/third one' }))).toEqual([])
    expect(await allOf(rateLimits.listRateLimits(projectId, { limit: 1 }))).toEqual(all.data)
    const refused = await refusalOf(rateLimits.listRateLimits(projectId, { after: 'rl-none' }))
    expect(refused).toMatchObject({ status: 400, param: 'after' })
  })

  it('are set for that project and that model alone, at once (AST-252, AST-254)', async () => {
    const platform = await start({ config, runtimes })
    const { rateLimits } = adminOf(platform).projects
    const { projectId: project_id } = platform.caller
    expect(await requestLimit(platform, 'big')).toBe('50')
    const set = await rateLimits.updateRateLimit('rl-big', {
      ...{ project_id, max_requests_per_1_minute: 2, max_tokens_per_1_minute: 500, max_images_per_1_minute: 3 },
    })
    const limits = { max_requests_per_1_minute: 2, max_tokens_per_1_minute: 500, max_images_per_1_minute: 3 }
    expect(set).toEqual({ object: 'project.rate_limit', id: 'rl-big', model: 'big', ...limits })
    checkPublished('ProjectRateLimit', set)
    expect(await requestLimit(platform, 'big')).toBe('2')
    await chat(platform, 'big')
    const refused = await chat(platform, 'big')
    expect(refused.status).toBe(429)
    expect((await errorOf(refused)).message).toContain('requests per min (RPM): Limit 2')
    expect(await requestLimit(platform, 'small')).toBe('100')
    const other = await platform.addProject('other')
    expect(await requestLimit(other, 'big')).toBe('50')
    await rateLimits.updateRateLimit('rl-big', { project_id, max_requests_per_1_minute: 50 })
    expect((await rateLimits.listRateLimits(project_id)).data[0]).toMatchObject({
      ...{ max_requests_per_1_minute: 50, max_tokens_per_1_minute: 500 },
    })
    const named = await rateLimits.updateRateLimit('rl-org/third one', { project_id, max_tokens_per_1_minute: 1_000 })
    expect(named).toMatchObject({ model: 'org/third one', max_tokens_per_1_minute: 1_000 })
  })

  it('hold for a day too, where that is set', async () => {
    const platform = await start({ config, runtimes })
    const { rateLimits } = adminOf(platform).projects
    const { projectId: project_id } = platform.caller
    const set = await rateLimits.updateRateLimit('rl-small', { project_id, max_requests_per_1_day: 2 })
    expect(set).toMatchObject({ max_requests_per_1_day: 2, max_requests_per_1_minute: 100 })
    for (let n = 0; n < 2; n++) expect((await chat(platform, 'small')).status).toBe(200)
    const refused = await chat(platform, 'small')
    expect(refused.status).toBe(429)
    expect((await errorOf(refused)).message).toContain('requests per day (RPD): Limit 2')
  })

  it('of 0 keep the project from the model, and say so', async () => {
    const platform = await start({ config, runtimes })
    const { rateLimits } = adminOf(platform).projects
    const { projectId: project_id } = platform.caller
    const other = await platform.addProject('other')
    const names = ['max_requests_per_1_minute', 'max_tokens_per_1_minute', 'max_requests_per_1_day']
    for (const [index, { id: model }] of config.models.entries()) {
      const name = names[index] ?? ''
      const set = await rateLimits.updateRateLimit(`rl-${model}`, { project_id, [name]: 0 })
      expect(set).toMatchObject({ [name]: 0 })
      const refused = await chat(platform, model)
      expect([name, refused.status]).toEqual([name, 429])
      expect((await errorOf(refused)).message).toMatch(/Limit 0\. This project may not use it\./)
      expect(refused.headers.get('x-should-retry')).toBe('false')
      expect(refused.headers.get('x-ratelimit-reset-requests')).toMatch(/^[\d.]+m?s$/)
      expect((await chat(other, model)).status).toBe(200)
    }
    await rateLimits.updateRateLimit('rl-big', { project_id, max_requests_per_1_minute: 50 })
    await waitUntil(async () => (await chat(platform, 'big')).status === 200)
  })

  it("are never above the organization's own, and what is refused changes nothing (AST-252)", async () => {
    const platform = await start({ config, runtimes })
    const admin = adminOf(platform)
    const { rateLimits } = admin.projects
    const { projectId: project_id } = platform.caller
    const before = (await rateLimits.listRateLimits(project_id)).data
    const update = (fields: object, id = 'rl-big', project = project_id) =>
      refusalOf(rateLimits.updateRateLimit(id, { project_id: project, ...fields }))
    expect(await update({ max_tokens_per_1_minute: 100, max_requests_per_1_minute: 51 })).toMatchObject({
      ...{ status: 400, code: 'rate_limit_above_organization', param: 'max_requests_per_1_minute' },
      message: expect.stringContaining('limit is 50'),
    })
    const bad = { status: 400, param: 'max_requests_per_1_minute' }
    for (const value of [-1, 1.5, '10', null]) {
      expect(await update({ max_requests_per_1_minute: value })).toMatchObject(bad)
    }
    for (const param of ['max_audio_megabytes_per_1_minute', 'batch_1_day_max_input_tokens']) {
      const refused = { status: 400, code: 'unsupported_parameter', param }
      expect(await update({ max_requests_per_1_minute: 1, [param]: 5 })).toMatchObject(refused)
    }
    expect(await update({ max_request_per_1_minute: 5 })).toMatchObject({ status: 400 })
    expect(await update({ max_requests_per_1_minute: 5 }, 'rl-none')).toMatchObject({ status: 404 })
    expect(await update({ max_requests_per_1_minute: 5 }, 'rl-big', 'proj_none')).toMatchObject({ status: 404 })
    const foreign = await platform.addOrganization('foreign')
    expect(await update({ max_requests_per_1_minute: 5 }, 'rl-big', foreign.projectId)).toMatchObject({ status: 404 })
    expect(await refusalOf(rateLimits.listRateLimits(foreign.projectId))).toMatchObject({ status: 404 })
    const old = await platform.addProject('old')
    await admin.projects.archive(old.caller.projectId)
    expect(await update({ max_requests_per_1_minute: 5 }, 'rl-big', old.caller.projectId)).toMatchObject({
      ...{ status: 400, code: 'project_archived' },
    })
    expect(await update({})).toBe(undefined)
    expect((await rateLimits.listRateLimits(project_id)).data).toEqual(before)
  })

  it('leave an entry in the audit log with each change, and none with what is refused', async () => {
    const platform = await start({ config, runtimes })
    const { organizationId, projectId: project_id } = platform.caller
    await new AuditLog(platform.kernel).activate({ type: 'system' }, organizationId)
    const admin = adminOf(platform)
    const changes_requested = { max_requests_per_1_minute: 4, max_tokens_per_1_minute: 100 }
    await admin.projects.rateLimits.updateRateLimit('rl-big', { project_id, ...changes_requested })
    await admin.projects.rateLimits.updateRateLimit('rl-big', { project_id })
    await refusalOf(admin.projects.rateLimits.updateRateLimit('rl-big', { project_id, max_tokens_per_1_minute: 9_999 }))
    const path = '/v1/organization/audit_logs?event_types[]=rate_limit.updated'
    const log = (await (await platform.as(platform.adminKey).get(path)).json()) as unknown as { data: object[] }
    expect(log.data).toMatchObject([
      {
        type: 'rate_limit.updated',
        project: { id: project_id },
        'rate_limit.updated': { id: 'rl-big', changes_requested },
      },
    ])
    expect(log.data).toHaveLength(1)
  })

  it("follow when the organization's own become less", async () => {
    const platform = await start({ config, runtimes })
    const { projectId: project_id } = platform.caller
    await adminOf(platform).projects.rateLimits.updateRateLimit('rl-big', { project_id, max_requests_per_1_minute: 40 })
    await platform.close()
    const [big, ...others] = config.models
    const models = [{ ...big!, limits: { requestsPerMinute: 30 } }, ...others]
    const next = await start({ config: { ...config, models }, runtimes, after: platform })
    const [limit] = (await adminOf(next).projects.rateLimits.listRateLimits(project_id)).data
    expect(limit?.max_requests_per_1_minute).toBe(30)
    expect(await requestLimit(next, 'big')).toBe('30')
  })
})

describeNodes('rate limits of a project on several nodes', (start) => {
  it('hold on all of them as soon as they are set (AST-252)', async () => {
    const one = await start({ config, runtimes })
    const other = await start({ config, runtimes, after: one })
    expect(await requestLimit(other, 'big')).toBe('50')
    const { projectId: project_id } = one.caller
    await adminOf(one).projects.rateLimits.updateRateLimit('rl-big', { project_id, max_requests_per_1_minute: 9 })
    expect(await requestLimit(one, 'big')).toBe('9')
    await waitUntil(async () => (await requestLimit(other, 'big')) === '9')
  })
})
