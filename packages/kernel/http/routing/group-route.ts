// Where the nodes of a group ask one another. What is not sealed with the group's key finds nothing here.

import { sendBytes } from '../answer/send.ts'
import { readBytes } from '../body/body-bytes.ts'
import type { GroupRoute } from '../options.ts'
import type { ServerRoute } from './router.ts'

export function groupRoute({ path, maxBytes, receive }: GroupRoute): ServerRoute {
  return {
    methods: ['POST'],
    path,
    async endpoint(exchange) {
      const { timeouts, service } = exchange.host
      const unknown = service.errors.unknownUrl(exchange.method, exchange.path)
      const length = Number(exchange.headers['content-length'])
      if (!(length <= maxBytes)) throw unknown
      const bytes = await readBytes(exchange.openBody(), { maxBytes, idleMs: timeouts.idleBodyMs })
      const answer = await receive(bytes)
      if (answer === undefined) throw unknown
      sendBytes(exchange, 200, answer, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' })
    },
  }
}
