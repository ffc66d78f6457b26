// Assistants with the documentation set: whether the model is given the passage that a question needs, and whether
// citations stand where they belong.
import { AssistantsClient } from '../assistants/client.ts'
import type { AtollServer } from '../atoll-server.ts'
import { inLanes, RetrievalClient } from './client.ts'
import { type Collection, type DocumentationQuestion, documentationFiles } from './collections.ts'
import { notGiven } from './reader.ts'

export interface Answers {
  asked: number
  /** With the passage before the model. */
  given: number
  /** Sentences that a file says, with and without a citation of that file. */
  cited: number
  sentences: number
  citations: number
  /** Citations of a file that does not say so. */
  wrong: number
}

interface Message {
  content: { text: { value: string; annotations: { start_index: number; file_citation?: { file_id: string } }[] } }[]
}

export async function measureAnswers(
  server: AtollServer,
  questions: readonly DocumentationQuestion[],
  chunking?: Collection['chunking'],
): Promise<Answers> {
  const files = documentationFiles()
  const store = await new RetrievalClient(server).fill({
    name: '',
    files,
    documents: [],
    questions: [],
    ...(chunking && { chunking }),
  })
  const client = new AssistantsClient(server)
  const assistant_id = await client.create('/assistants', {
    model: 'reader',
    tools: [{ type: 'file_search' }],
    tool_resources: { file_search: { vector_store_ids: [store.id] } },
  })
  const sums: Answers = { asked: 0, given: 0, cited: 0, sentences: 0, citations: 0, wrong: 0 }
  await inLanes(questions, async (question) => {
    const place = files.findIndex(({ name }) => name === question.file)
    const message = await answer(client, assistant_id, question.question)
    count(sums, question, message, (fileId) => store.places.get(fileId) === place)
  })
  return sums
}

async function answer(client: AssistantsClient, assistant_id: string, content: string): Promise<Message> {
  const thread = { messages: [{ role: 'user', content }] }
  let message: Message | undefined
  for await (const { event, data } of client.events('/threads/runs', { assistant_id, thread })) {
    if (event === 'thread.message.completed') message = JSON.parse(data) as Message
  }
  if (message === undefined) throw new Error(`Nothing was said to: ${content}`)
  return message
}

function count(
  sums: Answers,
  { answer: right }: DocumentationQuestion,
  { content }: Message,
  isRightFile: (fileId: string) => boolean,
): void {
  const [{ text } = { text: { value: '', annotations: [] } }] = content
  sums.asked++
  if (text.value === notGiven) return
  sums.given++
  sums.sentences++
  for (const { start_index, file_citation } of text.annotations) {
    if (file_citation === undefined) continue
    sums.citations++
    const isFirst = start_index === right.length
    if (isFirst && isRightFile(file_citation.file_id)) sums.cited++
    else sums.wrong++
  }
}
