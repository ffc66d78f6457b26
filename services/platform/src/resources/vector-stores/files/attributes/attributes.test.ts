import { expect, it } from 'vitest'
import { describePlatform } from '../../../../testing/describe-platform.ts'
import { refusal } from '../../testing/refusal.ts'
import { StoreRequests } from '../../testing/store-requests.ts'
import { WordEmbeddings } from '../../testing/word-embeddings.ts'

describePlatform('the attributes of files in a vector store', (start) => {
  const begin = async () => new StoreRequests(await start({ runtimes: new WordEmbeddings().runtimes }))

  it('narrow a search by filters, and are told with what was found', async () => {
    const requests = await begin()
    const { id } = await requests.create({})
    const about: [name: string, attributes: Record<string, string | number | boolean>][] = [
      ['eu.txt', { region: 'eu', year: 2023, open: true }],
      ['us.txt', { region: 'us', year: 2024, open: false }],
      ['asia.txt', { region: 'asia', year: 2025 }],
    ]
    for (const [name, attributes] of about) {
      const file_id = await requests.addText(name, `Corals of the kind ${name} are animals.`)
      expect(await requests.attach(id, { file_id, attributes })).toMatchObject({ attributes })
    }
    const plain = await requests.addText('plain.txt', 'Corals without anything are animals.')
    expect(await requests.attach(id, { file_id: plain })).toMatchObject({ attributes: {} })
    await requests.settled(id)
    const found = async (filters: object): Promise<string[]> => {
      const { data } = await requests.search(id, { query: 'corals animals', filters })
      for (const { filename, attributes } of data) expect(attributes).toEqual(Object.fromEntries(about)[filename] ?? {})
      return data.map(({ filename }) => filename.replace('.txt', '')).sort()
    }
    const one = (type: string, key: string, value: unknown) => ({ type, key, value })
    expect(await found(one('eq', 'region', 'eu'))).toEqual(['eu'])
    expect(await found(one('eq', 'open', true))).toEqual(['eu'])
    expect(await found(one('ne', 'region', 'eu'))).toEqual(['asia', 'plain', 'us'])
    expect(await found(one('gt', 'year', 2023))).toEqual(['asia', 'us'])
    expect(await found(one('gte', 'year', 2024))).toEqual(['asia', 'us'])
    expect(await found(one('lt', 'year', 2024))).toEqual(['eu'])
    expect(await found(one('lte', 'year', 2024))).toEqual(['eu', 'us'])
    expect(await found(one('gt', 'year', '2023'))).toEqual([])
    expect(await found(one('in', 'region', ['eu', 'asia']))).toEqual(['asia', 'eu'])
    expect(await found(one('nin', 'region', ['eu', 'asia']))).toEqual(['plain', 'us'])
    const either = { type: 'or', filters: [one('eq', 'region', 'us'), one('lt', 'year', 2024)] }
    expect(await found(either)).toEqual(['eu', 'us'])
    expect(await found({ type: 'and', filters: [either, one('eq', 'open', false)] })).toEqual(['us'])
    expect(await found(one('eq', 'constructor', 'x'))).toEqual([])
  })

  it('are changed by an update, and set for all files of a batch', async () => {
    const requests = await begin()
    const { id } = await requests.create({})
    const file_ids = [await requests.addText('a.txt', 'Corals are animals.'), await requests.addText('b.txt', 'Ships.')]
    await requests.call('POST', `/${id}/file_batches`, { file_ids, attributes: { batch: 1 } })
    await requests.settled(id)
    const attributes = async () => (await requests.files(id)).data.map((file) => file.attributes)
    expect(await attributes()).toEqual([{ batch: 1 }, { batch: 1 }])
    const changed = await requests.call('POST', `/${id}/files/${file_ids[0]}`, { attributes: { kind: 'animal' } })
    expect(changed).toMatchObject({ id: file_ids[0], attributes: { kind: 'animal' }, status: 'completed' })
    const filters = { type: 'eq', key: 'kind', value: 'animal' }
    const { data } = await requests.search(id, { query: 'corals', filters })
    expect(data.map(({ filename }) => filename)).toEqual(['a.txt'])
    await requests.call('POST', `/${id}/files/${file_ids[0]}`, { attributes: null })
    expect(await attributes()).toContainEqual({})
    await requests.call('POST', `/${id}/file_batches`, { file_ids, attributes: { batch: 2 } })
    expect(await attributes()).toEqual([{ batch: 2 }, { batch: 2 }])
    await requests.call('POST', `/${id}/file_batches`, { file_ids })
    expect(await attributes()).toEqual([{ batch: 2 }, { batch: 2 }])
    expect((await requests.search(id, { query: 'corals', filters })).data).toEqual([])
  })

  it('may bear the names of what every object of JavaScript has', async () => {
    const requests = await begin()
    const { id } = await requests.create({})
    const file_id = await requests.addText('a.txt', 'Corals are animals.')
    const names = ['constructor', 'toString', 'hasOwnProperty', 'prototype']
    const attributes = Object.fromEntries(names.map((name) => [name, `my ${name}`]))
    expect(await requests.attach(id, { file_id, attributes })).toMatchObject({ attributes })
    await requests.settled(id)
    expect((await requests.file(id, file_id)).attributes).toEqual(attributes)
    for (const key of names) {
      const found = async (value: string) =>
        (await requests.search(id, { query: 'corals', filters: { type: 'eq', key, value } })).data
      expect(await found(`my ${key}`)).toMatchObject([{ attributes }])
      expect(await found('another')).toEqual([])
    }
  })

  it('are refused with the one name that cannot be kept', async () => {
    const requests = await begin()
    const { id } = await requests.create({})
    const file_id = await requests.addText('a.txt', 'Corals.')
    const attributes = JSON.parse('{"a":1,"__proto__":"x"}') as object
    expect(await refusal(requests.platform, 'POST', `/${id}/files`, { file_id, attributes })).toMatchObject({
      ...{ status: 400, param: 'attributes.__proto__' },
      message: expect.stringContaining('choose another'),
    })
  })

  it('are refused beyond their limits, and filters that make no sense are', async () => {
    const requests = await begin()
    const { platform } = requests
    const { id } = await requests.create({})
    const file_id = await requests.addText('a.txt', 'Corals.')
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`a${n}`, n]))
    for (const attributes of [many, { ['x'.repeat(65)]: 1 }, { x: 'x'.repeat(513) }, { x: { y: 1 } }, 'x']) {
      const { status, param } = await refusal(platform, 'POST', `/${id}/files`, { file_id, attributes })
      expect([status, param?.split('.')[0]]).toEqual([400, 'attributes'])
    }
    const wrong = [
      { type: 'like', key: 'a', value: 'b' },
      { type: 'eq', key: 'a' },
      { type: 'eq', key: 'a', value: ['b'] },
      { type: 'in', key: 'a', value: 'b' },
      { type: 'gt', key: 'a', value: true },
      { type: 'and', filters: [] },
      'a = b',
    ]
    for (const filters of wrong) {
      const { status, param } = await refusal(platform, 'POST', `/${id}/search`, { query: 'x', filters })
      expect([status, param?.split('.')[0], filters]).toEqual([400, 'filters', filters])
    }
    const within = (levels: number): object =>
      levels === 1 ? { type: 'eq', key: 'a', value: 'b' } : { type: 'and', filters: [within(levels - 1)] }
    expect((await requests.search(id, { query: 'x', filters: within(4) })).data).toEqual([])
    for (const levels of [5, 6]) {
      expect(await refusal(platform, 'POST', `/${id}/search`, { query: 'x', filters: within(levels) })).toMatchObject({
        ...{ status: 400, param: 'filters.filters[0].filters[0].filters[0].type' },
        message: expect.stringContaining('4 deep at most'),
      })
    }
    expect(await refusal(platform, 'POST', `/${id}/files/file-none`, { attributes: {} })).toMatchObject({ status: 404 })
    const rewrite = await refusal(platform, 'POST', `/${id}/search`, { query: 'x', rewrite_query: true })
    expect(rewrite).toMatchObject({
      status: 400,
      param: 'rewrite_query',
      message: expect.stringContaining('as it is asked'),
    })
  })
})
