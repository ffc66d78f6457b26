import { ManualClock, unixSeconds } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import { describePlatform } from '../../../../testing/describe-platform.ts'
import { KeptAudios } from './kept-audios.ts'

describePlatform('spoken answers that later turns name', (start) => {
  it('are known in their project for an hour, and then go', async () => {
    const clock = new ManualClock()
    const { kernel, caller } = await start({ clock, withoutJobs: true })
    const kept = new KeptAudios(kernel)
    const [first, second] = [kept.newId(), kept.newId()]
    expect(await kept.keep(caller.projectId, first, 'The sea is calm.')).toBe(unixSeconds(clock) + 3_600)
    clock.advanceSeconds(1_800)
    await kept.keep(caller.projectId, second, 'We sail.')
    expect(await kept.transcript(caller.projectId, first)).toBe('The sea is calm.')
    expect(await kept.transcript('proj_other', first)).toBeUndefined()
    clock.advanceSeconds(1_800)
    expect(await kept.transcript(caller.projectId, first)).toBeUndefined()
    await kept.removeOverdue()
    const left = await kernel.db.queries.selectFrom('chat_audios').select('id').execute()
    expect(left).toEqual([{ id: second }])
    expect(await kept.transcript(caller.projectId, second)).toBe('We sail.')
  })
})
