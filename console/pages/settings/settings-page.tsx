import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { ServerSettings } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { Doctor } from './doctor.tsx'
import { SettingsTable } from './settings-table.tsx'

export function SettingsPage() {
  const [sought, setSought] = useState('')
  const [onlySet, setOnlySet] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['server-settings'],
    queryFn: ({ signal }) => ask<ServerSettings>('/v1/organization/server/settings', { signal }),
  })
  const shown = data?.data.filter(
    ({ id, source }) => id.toLowerCase().includes(sought.trim().toLowerCase()) && (!onlySet || source !== null),
  )
  return (
    <>
      <PageHead
        title="Settings and help"
        about="How this server is set, where each setting came from, and its machine."
      />
      <Doctor />
      <h2 className="section-title">Configuration</h2>
      <div className="filters">
        <label className="field">
          <span>Find a setting</span>
          <input type="search" maxLength={256} value={sought} onChange={({ target }) => setSought(target.value)} />
        </label>
        <label className="inline">
          <input type="checkbox" checked={onlySet} onChange={({ target }) => setOnlySet(target.checked)} />
          <span>Only what is not a default</span>
        </label>
      </div>
      {error && <Failure error={error} again={refetch} />}
      {!error && shown === undefined && <Waiting what="settings" />}
      {shown !== undefined && <SettingsTable settings={shown} />}
    </>
  )
}
