import { lacking } from '@atoll/testkit/lacking'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Channel } from '../channel.ts'
import { ChannelsConfig } from '../config.ts'
import { createChannels } from '../create-channels.ts'
import { localOnly } from '../testing/channel-kit.ts'
import { topicListener } from '../testing/heard.ts'
import { type Server, startBroker } from '../testing/servers.ts'

const missing = lacking('mosquitto')
const never = new AbortController().signal
const user = { name: 'gate', password: 'gate-secret' }

describe.skipIf(missing !== '')(`MQTT${missing && `: this machine lacks ${missing}`}`, () => {
  let broker: Server
  const made: Channel[] = []
  const channel = (settings: object = {}): Channel => {
    const mqtt = {
      ...{ url: `mqtt://127.0.0.1:${broker.port}`, user: user.name, password: user.password },
      ...{ topicPrefix: 'replies/', ...settings },
    }
    const made1 = createChannels(ChannelsConfig.parse({ ...localOnly, mqtt })).get('mqtt') as Channel
    made.push(made1)
    return made1
  }
  beforeAll(async () => {
    broker = await startBroker(user)
  })
  afterAll(async () => {
    for (const mqtt of made) await mqtt.close()
    await broker?.stop()
  })

  it('publishes under its prefix, with the id of the message (HOOK-055, HOOK-056)', async () => {
    const listener = await topicListener(broker.port, 'replies/#', user)
    const mqtt = channel()
    await mqtt.send({ to: 'ops/alerts', text: 'it is warm', id: 'out_1-0' }, never)
    await channel({ qos: 2 }).send({ to: 'ops/alerts', text: 'again', id: 'out_2-0' }, never)
    await expect
      .poll(() => listener.heard, { timeout: 10_000 })
      .toEqual([
        { text: 'it is warm', id: 'out_1-0' },
        { text: 'again', id: 'out_2-0' },
      ])
    await listener.close()
    for (const topic of ['a/+', '#', 'a\0']) expect(mqtt.problemOf(topic)).toBeDefined()
  })

  it('says so when it is not let in, or nobody is there', async () => {
    const secret = 'wrong-secret'
    const refused = await channel({ password: secret })
      .send({ to: 'x', text: 'x', id: 'i' }, never)
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ name: 'NotSent', forGood: true })
    expect(String(refused)).not.toContain(secret)
    const away = channel({ url: 'mqtt://127.0.0.1:1' }).send({ to: 'x', text: 'x', id: 'i' }, never)
    await expect(away).rejects.toMatchObject({ name: 'NotSent', forGood: false })
  })
})
