import { DatabaseSync } from 'node:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { openDatabase } from '@atoll/kernel/db/open'
import { sql } from 'kysely'
const log:any={debug(){},info(){},warn(){},error(){}}
const folder = mkdtempSync('/tmp/atoll-q-')
const db = await openDatabase({kind:'sqlite',folder},{log})
await sql`create table t (id text primary key, project text not null, created_at bigint not null, body text not null)`.execute(db.queries)
const p = new DatabaseSync(folder+'/plain.db'); 
p.exec('pragma journal_mode=wal; pragma synchronous=full; pragma wal_autocheckpoint=2000'); p.exec('create table t (id text primary key, project text not null, created_at bigint not null, body text not null)')
const ins = p.prepare('insert into t values (?,?,?,?)')
let n=0; const body='x'.repeat(120)
async function kernel(ms:number){ const end=performance.now()+ms; let c=0; const t0=performance.now(); const cpu=process.cpuUsage(); const mc=process.threadCpuUsage(); const e0=performance.eventLoopUtilization()
 await Promise.all(Array.from({length:64},async()=>{while(performance.now()<end){ await (db.queries as any).insertInto('t').values({id:'row-'+(n++),project:'p',created_at:n,body}).execute(); c++}}))
 const u=process.cpuUsage(cpu); const m=process.threadCpuUsage(mc); return ['main '+((m.user+m.system)/c).toFixed(1), 'elu '+performance.eventLoopUtilization(e0).utilization.toFixed(2), Math.round(c/(performance.now()-t0)*500), ((u.user+u.system)/c).toFixed(1)+'us']}
async function tx(ms:number){ const end=performance.now()+ms; let c=0; const t0=performance.now(); const cpu=process.cpuUsage(); const mc=process.threadCpuUsage(); const e0=performance.eventLoopUtilization()
 await Promise.all(Array.from({length:64},async()=>{while(performance.now()<end){ await db.transaction(async(tx:any)=>{await tx.selectFrom('t').select('id').where('id','=','row-1').execute(); await tx.insertInto('t').values({id:'row-'+(n++),project:'p',created_at:n,body}).execute()}); c++}}))
 const u=process.cpuUsage(cpu); const m=process.threadCpuUsage(mc); return ['main '+((m.user+m.system)/c).toFixed(1), 'elu '+performance.eventLoopUtilization(e0).utilization.toFixed(2), Math.round(c/(performance.now()-t0)*500), ((u.user+u.system)/c).toFixed(1)+'us']}
function plain(ms:number){ const end=performance.now()+ms; let c=0; const t0=performance.now(); while(performance.now()<end){ ins.run('row-'+(n++),'p',n,body); c++}; return Math.round(c/(performance.now()-t0)*500)}
for(let i=0;i<4;i++){ console.log('kernel',await kernel(500),'plain',plain(500)) }
await db.close(); p.close(); rmSync(folder,{recursive:true})
