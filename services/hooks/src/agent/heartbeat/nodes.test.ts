import { expect, it } from 'vitest'
import { describeAgentNodes, until } from '../testing/agent-kit.ts'

describeAgentNodes('the heartbeat of two nodes', (kit) => {
  it('is one at a time, and shows every event once', async () => {
    const first = await kit.start()
    const second = await kit.start({}, { after: first })
    let running = 0
    let most = 0
    kit.model.script = () => {
      most = Math.max(most, ++running)
      const after = new Promise<void>((resolve) => setTimeout(resolve, 100)).finally(() => running--)
      return { after, text: 'HEARTBEAT_OK' }
    }
    const texts = Array.from({ length: 20 }, (_, index) => `event number ${index}.`)
    for (const [index, text] of texts.entries()) await (index % 2 === 0 ? first : second).wake(text)
    await until(async () => expect((await first.agent.status()).openEvents).toBe(0))
    const prompts = kit.model.asked.map((_, index) => kit.model.prompt(index))
    for (const text of texts) expect(prompts.filter((prompt) => prompt.includes(text))).toHaveLength(1)
    expect(most).toBe(1)
  })

  it('is taken over when its node is gone', async () => {
    const first = await kit.start()
    const said = Promise.withResolvers<void>()
    kit.model.script = () => ({ after: said.promise, text: 'HEARTBEAT_OK' })
    await first.wake('Carry on')
    await until(() => expect(kit.model.asked).toHaveLength(1))
    await first.close()
    const second = await kit.start({}, { after: first })
    said.resolve()
    expect(await second.beats(1)).toMatchObject({ outcome: 'ok-token' })
    expect(kit.model.asked).toHaveLength(1)
    expect((await second.agent.status()).openEvents).toBe(0)
  })
})
