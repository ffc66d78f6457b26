// Files within messages: real files, read by the real reader; only the model says what the test wants.
import { Buffer } from 'node:buffer'
import { pdfFile } from '@atoll/documents/testing/pdf-file'
import { OpenAI7, toFile6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import { errorOf } from '../../testing/requests.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'

const model = 'gpt-4o-mini'
const data = (type: string, bytes: string | Uint8Array) =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
const pdf = pdfFile(['The deposit is 20 euros.'])

const ask = (...parts: object[]) => [{ role: 'user' as const, content: parts as never[] }]

describePlatformOnSqlite('files within messages', (start) => {
  const begin = async () => {
    const scripted = new ScriptedChatModel([['Yes.']])
    const platform = await start({ runtimes: scripted.runtimes })
    const client = new OpenAI7({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 })
    const read = (at: number): string => JSON.stringify(scripted.requests[at]?.messages)
    return { scripted, platform, client, read }
  }

  it('are read and given to the model as text, by their id and by their data, in every turn', async () => {
    const { client, read } = await begin()
    const file = await toFile6(Buffer.from('Guests pay 6 euros.'), 'club.txt')
    const { id: file_id } = await client.files.create({ file, purpose: 'user_data' })
    const question = { type: 'input_text', text: 'How much?' }
    const given = { type: 'input_file', filename: 'rules.pdf', file_data: data('application/pdf', pdf) }
    const first = await client.responses.create({ model, input: ask({ type: 'input_file', file_id }, given, question) })
    for (const words of ['club.txt', 'Guests pay 6 euros.', 'rules.pdf', 'The deposit is 20 euros.', 'How much?']) {
      expect(read(0)).toContain(words)
    }
    await client.responses.create({ model, input: 'And the deposit?', previous_response_id: first.id })
    expect(read(1)).toContain('The deposit is 20 euros.')
    const shown = await client.responses.inputItems.list(first.id)
    expect(shown.data[0]).toMatchObject({ content: [{ type: 'input_file', file_id }, given, question] })
    await client.files.delete(file_id)
    const later = client.responses.create({ model, input: 'And now?', previous_response_id: first.id })
    await expect(later).rejects.toMatchObject({ status: 400, message: expect.stringContaining(file_id) })
  })

  it('come back from functions too, and so do pictures', async () => {
    const { client, scripted, read } = await begin()
    const call = { type: 'function_call' as const, call_id: 'call_1', name: 'look', arguments: '{}' }
    const picture = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }
    const given = { type: 'input_file', filename: 'notes.md', file_data: Buffer.from('# Found').toString('base64') }
    const output = [{ type: 'input_text', text: 'Here:' }, given, picture] as never
    await client.responses.create({ model, input: [call, { type: 'function_call_output', call_id: 'call_1', output }] })
    expect(scripted.requests[0]?.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
    for (const words of ['Here:', '# Found', 'data:image/png']) expect(read(0)).toContain(words)
  })

  it('are refused in words when they are not there, no text, or from elsewhere', async () => {
    const { platform, scripted } = await begin()
    const cases: [part: object, words: string][] = [
      [{}, "needs one of 'file_id' and 'file_data'"],
      [{ file_id: 'file-x', file_data: 'QQ==' }, 'no more than one'],
      [{ file_id: 'file-x' }, 'No such File object: file-x'],
      [{ file_url: 'https://example.com/a.pdf' }, 'fetches no files'],
      [{ filename: 'a.txt', file_data: 'not base64!' }, 'no base64'],
      [{ filename: 'a.png', file_data: data('image/png', '\x89PNG\r\n\x1a\n') }, "'a.png' cannot be given to a model"],
      [{ filename: 'a.pdf', file_data: data('application/pdf', 'No PDF') }, "'a.pdf' cannot be given to a model"],
    ]
    for (const [part, words] of cases) {
      const body = { model, input: ask({ type: 'input_file', ...part }) }
      const answer = await platform.post('/v1/responses', body)
      expect([words, answer.status, await errorOf(answer)]).toEqual([
        ...[words, 400],
        expect.objectContaining({ param: 'input', message: expect.stringContaining(words) }),
      ])
    }
    expect(scripted.requests).toEqual([])
  })
})
