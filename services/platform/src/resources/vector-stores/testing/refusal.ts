import type { TestPlatform } from '../../../testing/describe-platform.ts'
import { type ErrorBody, errorOf } from '../../../testing/requests.ts'

/** The status and the error of a request that is refused. */
export async function refusal(
  platform: TestPlatform,
  method: string,
  path: string,
  body?: object,
): Promise<ErrorBody & { status: number }> {
  const full = `/v1/vector_stores${path}`
  const response = await (method === 'POST' ? platform.post(full, body) : platform.request(method, full))
  return { status: response.status, ...(await errorOf(response)) }
}
