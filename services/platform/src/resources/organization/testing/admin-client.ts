// The official client as administrators use it, and what it is refused.
import { OpenAI6 } from '@atoll/testkit/openai-clients'
import type { TestPlatform } from '../../../testing/describe-platform.ts'

export const adminOf = (platform: Pick<TestPlatform, 'url' | 'adminKey'>, adminAPIKey = platform.adminKey) =>
  new OpenAI6({ adminAPIKey, apiKey: null, baseURL: `${platform.url}/v1`, maxRetries: 0 }).admin.organization

export interface Refusal {
  status: number
  code: string | null
  param: string | null
  message: string
}

/** What a request was refused with; undefined when it was not. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof OpenAI6.APIError)) throw error
    const { status, code = null, param = null, error: body } = error
    return { status, code, param, message: body.message }
  }
  return undefined
}

/** Every item of a list, by as many requests as it takes. */
export async function allOf<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of pages) items.push(item)
  return items
}

/** Somebody more in the organization; the e-mail address tells them apart. */
export async function addPerson(
  platform: TestPlatform,
  name: string,
  role: 'owner' | 'member' | 'reader' = 'member',
): Promise<{ id: string; email: string }> {
  const email = `${name.toLowerCase()}@example.com`
  const { users } = platform.platform.identity
  return { email, id: (await users.add(platform.caller.organizationId, { name, email, role })).id }
}
