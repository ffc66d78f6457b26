// Which form of the assistants interface a caller speaks: `OpenAI-Beta: assistants=v2`, in either spelling.
import type { RequestHead } from '@atoll/kernel/http/route'
import { betaErrors } from '../errors/errors.ts'

export type AssistantsVersion = 'v1' | 'v2'

export function assistantsVersion({ headers }: Pick<RequestHead, 'headers'>, served: readonly string[]): string {
  const asked = [headers['openai-beta'], headers['vendor-beta']]
    .flat()
    .flatMap((value) => value?.split(',') ?? [])
    .map((value) => /^\s*assistants=(\S+)\s*$/.exec(value)?.[1])
    .find((version) => version !== undefined)
  if (asked === undefined) throw betaErrors.missing()
  if (asked !== 'v1' && asked !== 'v2') throw betaErrors.unknown()
  if (!served.includes(asked)) throw betaErrors.notIn(asked, served)
  return asked
}
