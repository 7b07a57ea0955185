//! One worker's part: events go in with the moment at which they are handed in, effects come out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::allocate::Strategy;
use crate::beat::{About, Beat, Holds, Stage};
use crate::census::Census;
use crate::effect::{Channels, Effect, Event, Exit};
use crate::ends::{Ends, Ticket};
use crate::holding::Holding;
use crate::leading::{Leading, View};
use crate::name::{Life, TaskName};
use crate::pulse::Pulse;
use crate::record::{Leader, Record};
use crate::settled::Settled;
use crate::time::{Moment, Timing};
use crate::trust::{Trust, Turn};

/// Longest time between two looks at the clock.
const TICK: Duration = Duration::from_millis(100);

/// Beats of another life with one's own id after which it is certain that it lives.
const ALIVE: u64 = 3;

/// How a worker takes part.
#[derive(Debug, Clone)]
pub struct Setup {
    /// This life.
    pub life: Life,
    /// What this worker is.
    pub about: About,
    /// How tasks are shared out; the leader's counts.
    pub strategy: Strategy,
    /// How long everything takes.
    pub timing: Timing,
}

/// The state of one worker's part in the protocol.
#[derive(Debug)]
pub struct Protocol {
    setup: Setup,
    load: u32,
    stage: Stage,
    pulse: Pulse,
    census: Census,
    ends: Ends,
    settled: Settled,
    holding: Holding,
    wanted: Arc<Channels>,
    trust: Trust,
    role: Role,
    tickets: u64,
    /// Not before this moment does this worker stand for leader.
    stand_after: Moment,
    /// Something happened that a leader's decision may depend on.
    stirred: bool,
    over: bool,
}

/// Part of the worker in leading.
#[derive(Debug)]
enum Role {
    /// Follows.
    Follower,
    /// Takes the leader's transactional id.
    Initialising,
    /// Has it, and reads what the predecessor left.
    Reading(Ticket),
    /// Writes itself down.
    Claiming { ticket: u64, epoch: u64 },
    /// Leads.
    Leading(Box<Leading>),
    /// Writes down that it leads no more.
    Resigning(u64),
}

impl Protocol {
    /// A worker that has just started.
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            load: 0,
            stage: Stage::Waiting,
            pulse: Pulse::default(),
            census: Census::default(),
            ends: Ends::default(),
            settled: Settled::default(),
            holding: Holding::default(),
            wanted: Arc::default(),
            trust: Trust::Halt,
            role: Role::Follower,
            tickets: 0,
            stand_after: Moment::default(),
            stirred: false,
            over: false,
        }
    }

    /// Hands in what happened; answers what is to be done, in this order.
    pub fn handle(&mut self, event: Event, now: Moment) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.over {
            return effects;
        }
        // Time first: a process that was frozen must know how late it is before it acts on what it reads (I4).
        match self.trust.age(self.pulse.age(now), &self.setup.timing) {
            Turn::None => {}
            Turn::Suspend => self.holding.suspend(&mut effects),
            Turn::Halt => self.holding.halt(&mut effects),
        }
        self.take(event, now, &mut effects);
        self.ends.read(self.settled.next());
        if self.trust.look(&self.ends, self.settled.verdicts().contains(&self.setup.life)) {
            self.stirred = true;
        }
        self.join(now, &mut effects);
        self.holding.follow(
            &self.setup.life,
            &self.settled,
            &self.ends,
            self.trust.is_sure() && self.stage != Stage::Waiting,
            &mut effects,
        );
        self.stand(now, &mut effects);
        self.lead(now, &mut effects);
        self.leave(now, &mut effects);
        effects.extend(self.ends.ask().map(Effect::AskEnd));
        if !self.over && self.pulse.due(&self.setup.timing).is_none_or(|due| due <= now) {
            self.beat(now, &mut effects);
        }
        effects
    }

    /// When time alone must be handed in next, at the latest.
    pub fn wakes(&self, now: Moment) -> Moment {
        let tick = now + TICK;
        self.pulse.due(&self.setup.timing).map_or(now, |due| due.clamp(now, tick))
    }

    fn take(&mut self, event: Event, now: Moment, effects: &mut Vec<Effect>) {
        self.stirred |= !matches!(event, Event::Beat(_));
        match event {
            Event::Tick => {}
            Event::Beat(beat) => self.hear(beat, now),
            Event::Control { records, next } => self.read(records, next, now, effects),
            Event::End { ask, end } => self.ends.answer(ask, end),
            Event::Wanted(wanted) => self.wanted = wanted,
            Event::Initialised(done) => self.initialised(done, now, effects),
            Event::Committed { ticket, next } => self.committed(ticket, next, effects),
            Event::ProducerLost => self.step_down(now, effects),
            Event::TasksFenced { ticket, done } => {
                let again = now + self.setup.timing.again;
                if let Role::Leading(leading) = &mut self.role {
                    leading.tasks_fenced(ticket, done, again);
                }
            }
            Event::Opened { task, generation } => self.holding.opened(&task, generation, &mut self.ends),
            Event::Released { task, generation } => self.released(&task, generation),
            // What is fenced may go on as it likes: nothing that it does takes effect.
            Event::Stuck { task, generation, fenced: true } => self.released(&task, generation),
            Event::Stuck { task, generation, fenced: false } => {
                if self.holding.generation(&task) == Some(generation) {
                    self.exit(Exit::Stuck(task), effects);
                }
            }
            Event::About(about) => {
                self.setup.about = about;
                self.pulse.hurry();
            }
            Event::Load(load) => self.load = load,
            Event::Leave => {
                if self.stage != Stage::Leaving {
                    self.stage = Stage::Leaving;
                    self.pulse.hurry();
                }
            }
        }
    }

    fn released(&mut self, task: &TaskName, generation: u64) {
        if self.holding.released(task, generation) {
            self.pulse.hurry();
        }
    }

    fn hear(&mut self, beat: Beat, now: Moment) {
        let timing = self.setup.timing;
        let mine = (beat.life == self.setup.life).then_some(beat.number);
        if let Some(number) = mine {
            self.pulse.came_back(number);
            self.census.lives(now, &timing);
            self.trust.proven(self.pulse.age(now), &timing, &mut self.ends);
        }
        self.stirred |= self.census.hear(beat, now, &timing);
        if let (Some(number), Role::Leading(_)) = (mine, &self.role) {
            self.with_leading(now, |leading, view| leading.came_back(number, view));
            self.stirred = true;
        }
    }

    fn read(&mut self, records: Vec<(u64, Record)>, next: u64, now: Moment, effects: &mut Vec<Effect>) {
        let me = self.setup.life.clone();
        for (offset, record) in records {
            match &record {
                Record::Leader(leader) => {
                    self.census.led(leader.epoch, &leader.life, leader.left, now, &self.setup.timing);
                    let other = leader.life != me;
                    if other && matches!(&self.role, Role::Leading(leading) if leading.epoch < leader.epoch) {
                        self.step_down(now, effects);
                    }
                }
                // Somebody waits to hear that it was read.
                Record::Allocation(_, Some(allocation))
                    if allocation.tasks.values().any(|slot| slot.life == me && slot.revoked.is_some()) =>
                {
                    self.pulse.hurry();
                }
                _ => {}
            }
            self.settled.apply(offset, record);
        }
        self.settled.pass(next);
    }

    /// Joins, or finds that its name is taken.
    fn join(&mut self, now: Moment, effects: &mut Vec<Effect>) {
        let timing = self.setup.timing;
        let me = &self.setup.life;
        let rivals: Vec<_> = self
            .census
            .peers()
            .filter(|peer| peer.beat.life.worker == me.worker && peer.beat.life != *me)
            .filter(|peer| self.census.is_heard(&peer.beat.life, now, &timing))
            .collect();
        let goes_before = |beat: &Beat| match beat.stage {
            Stage::Joined | Stage::Leaving => true,
            // Of two that wait, one must go first.
            Stage::Waiting => beat.life.incarnation < me.incarnation,
            Stage::Left => false,
        };
        match self.stage {
            Stage::Waiting => {
                let listened = self.census.listened(now, &timing);
                if let Some(rival) = rivals.iter().find(|rival| goes_before(&rival.beat)) {
                    if rival.beats >= ALIVE && listened >= timing.dead {
                        let address = rival.beat.about.address.clone();
                        self.exit(Exit::NameTaken(address), effects);
                    }
                    return;
                }
                let predecessor = self.settled.slots().any(|(_, slot)| slot.life.worker == me.worker);
                let patience = if predecessor { timing.dead } else { timing.listen };
                if self.trust.is_sure() && listened >= patience {
                    self.stage = Stage::Joined;
                    self.pulse.hurry();
                }
            }
            // It was silent long enough for another to take its name: the one that beats stays.
            Stage::Joined if !self.trust.is_sure() => {
                if let Some(rival) = rivals.iter().find(|rival| rival.beat.stage == Stage::Joined) {
                    let address = rival.beat.about.address.clone();
                    self.exit(Exit::NameTaken(address), effects);
                }
            }
            _ => {}
        }
    }

    /// Stands for leader when nobody leads and its turn has come.
    fn stand(&mut self, now: Moment, effects: &mut Vec<Effect>) {
        let timing = &self.setup.timing;
        let may = matches!(self.stage, Stage::Joined | Stage::Leaving) && self.trust.is_sure();
        if !may || !matches!(self.role, Role::Follower) || now < self.stand_after {
            return;
        }
        let Some(leaderless) = self.census.leaderless(self.settled.leader().is_some(), now, timing) else {
            return;
        };
        let me = &self.setup.life;
        let before = |life: &Life| life != me && (life < me || self.stage == Stage::Leaving);
        let before = self.census.present(now, timing).filter(|peer| before(&peer.beat.life)).count();
        if leaderless >= timing.candidate * u32::try_from(before).unwrap_or(u32::MAX) {
            self.role = Role::Initialising;
            effects.push(Effect::Initialise);
        }
    }

    fn initialised(&mut self, done: bool, now: Moment, effects: &mut Vec<Effect>) {
        match self.role {
            Role::Initialising if done => self.role = Role::Reading(self.ends.want()),
            Role::Initialising => {
                self.role = Role::Follower;
                self.stand_after = now + self.setup.timing.again;
                effects.push(Effect::DropProducer);
            }
            _ => {}
        }
    }

    fn committed(&mut self, ticket: u64, next: u64, effects: &mut Vec<Effect>) {
        match &mut self.role {
            Role::Claiming { ticket: mine, epoch } if *mine == ticket => {
                self.role = Role::Leading(Box::new(Leading::new(*epoch, next)));
                self.pulse.hurry();
            }
            Role::Leading(leading) => leading.committed(ticket, next),
            Role::Resigning(mine) if *mine == ticket => {
                self.role = Role::Follower;
                effects.push(Effect::DropProducer);
                self.pulse.hurry();
            }
            _ => {}
        }
    }

    /// Leads no more. It looks who does before it stands again, or two would fence each other in turns.
    fn step_down(&mut self, now: Moment, effects: &mut Vec<Effect>) {
        if !matches!(self.role, Role::Follower) {
            self.role = Role::Follower;
            self.stand_after = now + self.setup.timing.dead;
            effects.push(Effect::DropProducer);
            self.pulse.hurry();
        }
    }

    fn lead(&mut self, now: Moment, effects: &mut Vec<Effect>) {
        if let Role::Reading(ticket) = self.role
            && self.ends.is_settled(ticket)
        {
            let epoch = self.settled.leader().map_or(1, |leader| leader.epoch + 1);
            let ticket = self.ticket();
            self.role = Role::Claiming { ticket, epoch };
            let record = Record::Leader(Leader { epoch, life: self.setup.life.clone(), left: false });
            effects.push(Effect::Commit { ticket, records: vec![record] });
        }
        if !std::mem::take(&mut self.stirred) {
            return;
        }
        let Some(decision) = self.with_leading(now, |leading, view| leading.decide(view)) else { return };
        if decision.hurry {
            self.pulse.hurry();
        }
        if !decision.records.is_empty() {
            let ticket = self.ticket();
            self.leading(|leading| leading.commits(ticket));
            effects.push(Effect::Commit { ticket, records: decision.records });
        }
        if !decision.fence.is_empty() {
            let ticket = self.ticket();
            self.leading(|leading| leading.fences(ticket));
            effects.push(Effect::FenceTasks { ticket, tasks: decision.fence });
        }
    }

    /// Goes once nothing is left to hand over.
    fn leave(&mut self, now: Moment, effects: &mut Vec<Effect>) {
        if self.stage != Stage::Leaving
            || !self.holding.is_empty()
            || self.settled.holds_any(&self.setup.life)
        {
            return;
        }
        match &self.role {
            Role::Follower => {
                self.stage = Stage::Left;
                self.beat(now, effects);
                self.exit(Exit::Left, effects);
            }
            Role::Leading(leading) if leading.is_free(&self.settled) => {
                let leader = Leader { epoch: leading.epoch, life: self.setup.life.clone(), left: true };
                let ticket = self.ticket();
                self.role = Role::Resigning(ticket);
                effects.push(Effect::Commit { ticket, records: vec![Record::Leader(leader)] });
            }
            _ => {}
        }
    }

    fn beat(&mut self, now: Moment, effects: &mut Vec<Effect>) {
        let number = self.pulse.send(now);
        effects.push(Effect::Beat(Beat {
            life: self.setup.life.clone(),
            number,
            stage: self.stage,
            leading: match &self.role {
                Role::Leading(leading) => Some(leading.epoch),
                _ => None,
            },
            applied: self.settled.next(),
            holds: self.holding.list(),
            load: self.load,
            about: self.setup.about.clone(),
        }));
    }

    fn exit(&mut self, why: Exit, effects: &mut Vec<Effect>) {
        if why != Exit::Left {
            self.holding.halt(effects);
        }
        self.over = true;
        effects.push(Effect::Exit(why));
    }

    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    fn leading(&mut self, act: impl FnOnce(&mut Leading)) {
        if let Role::Leading(leading) = &mut self.role {
            act(leading);
        }
    }

    fn with_leading<T>(&mut self, now: Moment, act: impl FnOnce(&mut Leading, &View<'_>) -> T) -> Option<T> {
        let Role::Leading(leading) = &mut self.role else { return None };
        let view = View {
            me: &self.setup.life,
            now,
            timing: &self.setup.timing,
            strategy: self.setup.strategy,
            settled: &self.settled,
            census: &self.census,
            holding: &self.holding,
            wanted: &self.wanted,
            next_beat: self.pulse.next_number(),
            leaving: self.stage == Stage::Leaving,
            hosts: Default::default(),
        };
        Some(act(leading, &view.with_hosts()))
    }

    /// What this worker has read of control.
    pub fn settled(&self) -> &Settled {
        &self.settled
    }

    /// Where this worker is in its life.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Whether it can show that it is alive, and so runs its tasks.
    pub fn is_sure(&self) -> bool {
        self.trust.is_sure()
    }

    /// The epoch in which this worker leads.
    pub fn leads(&self) -> Option<u64> {
        match &self.role {
            Role::Leading(leading) => Some(leading.epoch),
            _ => None,
        }
    }

    /// The leader that is heard, with its epoch.
    pub fn leader(&self, now: Moment) -> Option<(u64, &Life)> {
        let timing = &self.setup.timing;
        self.census.leader().filter(|_| self.census.leaderless(true, now, timing).is_none())
    }

    /// What every worker said last that is not forgotten yet, and for how long each has been silent.
    pub fn heard(&self, now: Moment) -> impl Iterator<Item = (&Beat, Duration)> {
        let timing = &self.setup.timing;
        self.census.peers().map(move |peer| (&peer.beat, self.census.silence(&peer.beat.life, now, timing)))
    }

    /// Tasks that may be running here.
    pub fn holds(&self) -> Holds {
        self.holding.list()
    }

    /// For the leader: tasks that no worker fits.
    pub fn nowhere(&self) -> Option<&BTreeSet<TaskName>> {
        match &self.role {
            Role::Leading(leading) => leading.nowhere(),
            _ => None,
        }
    }
}
