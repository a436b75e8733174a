//! Asking many things over one socket that comes back by itself.
//!
//! A task of its own owns the connection. After a cut it sends again what the server has not
//! acknowledged, each ask under its key, so that nothing is asked twice, and offers again to take
//! turns. What was being said when the connection broke may be lost. Outcomes and turns arrive
//! through [`AgentConnection::next`], outcomes again on every connect until they are confirmed; read
//! them, or the task stops reading too.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::backoff::{Backoff, random_name};
use crate::client::Client;
use crate::error::ClientError;
use crate::query::QueryText;
use crate::socket::ClientSocket;
use crate::wire::{
    AgentEvent, AgentFrame, AskFrame, AskedEvent, ConfirmFrame, ControlEvent, ControlledFrame,
    Conversations, NewAsk, NoteFrame, OutcomeEvent, Problem, SayEnd, SayFrame, SocketProblem,
    TakeControlsFrame, TakeTurnsFrame, TurnEvent, WithdrawFrame,
};

/// Things that may wait to be read by the program.
const HEARD_MAX: usize = 256;
/// Asks that may be under way to the server at once.
const UNDER_WAY_MAX: usize = 4096;
/// Confirmed outcomes that are recognised when they are offered again.
const CONFIRMED_MAX: usize = 4096;
const ROUTE: &str = "/v1/agent";

/// What an agent hears on its socket.
#[derive(Debug)]
pub enum SocketMessage {
    /// An ask has ended. The same outcome may come again until it is confirmed.
    Outcome(Box<OutcomeEvent>),
    /// A person said something in a conversation.
    Turn(Box<TurnEvent>),
    /// A person wants something of the agent's program. Say what became of it with
    /// [`AgentConnection::controlled`].
    Control(Box<ControlEvent>),
    /// Something we sent could not be followed.
    Problem(Box<Problem>),
    /// The connection broke; we come back by ourselves.
    Cut {
        /// What happened.
        why: String,
        /// When the next try is.
        again_in: Duration,
    },
    /// The connection is there again.
    Back,
    /// The server no longer lets us in; nothing follows.
    Ended(ClientError),
}

/// A socket of an agent.
#[derive(Debug)]
pub struct AgentConnection {
    orders: mpsc::Sender<Order>,
    heard: mpsc::Receiver<SocketMessage>,
    driver: JoinHandle<()>,
}

impl Drop for AgentConnection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// A frame to be sent, and who waits until the server has the ask in it.
#[derive(Debug)]
struct Order {
    frame: AgentFrame,
    done: Option<oneshot::Sender<Result<AskedEvent, ClientError>>>,
}

impl AgentConnection {
    /// Connects. That this works at all is told at once; later cuts are ridden out.
    pub async fn connect(client: &Client) -> Result<Self, ClientError> {
        Self::connect_as(client, None).await
    }

    /// The same as the agent of this name; without one, as every agent of the token.
    pub async fn connect_as(client: &Client, agent: Option<&str>) -> Result<Self, ClientError> {
        let mut query = QueryText::default();
        query.add("agent", agent);
        let route = format!("{ROUTE}{}", query.0);
        let socket = ClientSocket::open(client, &route).await?;
        let (orders, from_program) = mpsc::channel(HEARD_MAX);
        let (to_program, heard) = mpsc::channel(HEARD_MAX);
        let driver = Driver {
            client: client.clone(),
            route,
            turns: None,
            controls: None,
            orders: from_program,
            heard: to_program,
            under_way: BTreeMap::new(),
            withdrawn: BTreeMap::new(),
            confirmed: Confirmed::default(),
            next_reference: 0,
        };
        let driver = tokio::spawn(driver.run(socket));
        Ok(Self {
            orders,
            heard,
            driver,
        })
    }

    /// Asks, and returns once the ask is on the server's disk. Waits through cuts.
    pub async fn ask(&self, ask: &NewAsk, key: Option<&str>) -> Result<AskedEvent, ClientError> {
        let key = match key {
            Some(key) => key.to_owned(),
            None => random_name()?,
        };
        let (done, asked) = oneshot::channel();
        let frame = AgentFrame::Ask(Box::new(AskFrame {
            reference: None,
            key: Some(key),
            ask: ask.clone(),
        }));
        let done = Some(done);
        self.put(Order { frame, done }).await?;
        asked.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Takes an ask back; its outcome comes as any other.
    pub async fn withdraw(&self, id: &str, note: Option<&str>) -> Result<(), ClientError> {
        let frame = WithdrawFrame {
            reference: None,
            id: id.to_owned(),
            note: note.map(str::to_owned),
        };
        self.order(AgentFrame::Withdraw(frame)).await
    }

    /// Says that an outcome was taken in. After this it is not offered again.
    pub async fn confirm(&self, id: &str) -> Result<(), ClientError> {
        self.order(AgentFrame::Confirm(ConfirmFrame {
            reference: None,
            id: id.to_owned(),
        }))
        .await
    }

    /// Says a piece of something in a conversation. `done` ends the message and the turn.
    pub async fn say(&self, conversation: &str, text: &str, done: bool) -> Result<(), ClientError> {
        self.order(AgentFrame::Say(SayFrame {
            reference: None,
            conversation: conversation.to_owned(),
            text: text.to_owned(),
            done,
            ended: None,
        }))
        .await
    }

    /// Says that the turn is over, and how when it did not end well.
    pub async fn end_turn(
        &self,
        conversation: &str,
        ended: Option<SayEnd>,
    ) -> Result<(), ClientError> {
        self.order(AgentFrame::Say(SayFrame {
            reference: None,
            conversation: conversation.to_owned(),
            text: String::new(),
            done: true,
            ended,
        }))
        .await
    }

    /// Tells what a tool does; `status` is `running`, `done` or `failed`.
    pub async fn note(
        &self,
        conversation: &str,
        tool: &str,
        text: &str,
        status: Option<&str>,
    ) -> Result<(), ClientError> {
        self.order(AgentFrame::Note(NoteFrame {
            reference: None,
            conversation: conversation.to_owned(),
            tool: tool.to_owned(),
            text: text.to_owned(),
            status: status.map(str::to_owned),
        }))
        .await
    }

    /// Offers to take turns, from now on and after every cut; they arrive as [`SocketMessage::Turn`].
    pub async fn take_turns(&self, conversations: Conversations) -> Result<(), ClientError> {
        self.order(AgentFrame::TakeTurns(TakeTurnsFrame {
            reference: None,
            conversations,
        }))
        .await
    }

    /// Offers to do what people want of the agent's program, from now on and after every cut; it
    /// arrives as [`SocketMessage::Control`].
    pub async fn take_controls(&self, conversations: Conversations) -> Result<(), ClientError> {
        self.order(AgentFrame::TakeControls(TakeControlsFrame {
            reference: None,
            conversations,
        }))
        .await
    }

    /// Says that what was wanted under this id is done, or why not. On another connection than the
    /// one it came on nobody waits for that any more.
    pub async fn controlled(&self, id: u64, problem: Option<&str>) -> Result<(), ClientError> {
        self.order(AgentFrame::Controlled(ControlledFrame {
            reference: None,
            id,
            problem: problem.map(str::to_owned),
        }))
        .await
    }

    /// The next thing; nothing once the socket has ended for good.
    pub async fn next(&mut self) -> Option<SocketMessage> {
        self.heard.recv().await
    }

    /// Ends the socket once everything that was ordered has been sent; for a program that has said
    /// what it had to say.
    pub async fn finish(mut self) {
        let (orders, _) = mpsc::channel(1);
        // Without a sender of orders the driver sends what it has and is done.
        drop(std::mem::replace(&mut self.orders, orders));
        drop((&mut self.driver).await);
    }

    async fn order(&self, frame: AgentFrame) -> Result<(), ClientError> {
        self.put(Order { frame, done: None }).await
    }

    async fn put(&self, order: Order) -> Result<(), ClientError> {
        self.orders.send(order).await.map_err(|_| ended())
    }
}

fn ended() -> ClientError {
    ClientError::Cut("the agent's connection has ended".into())
}

struct UnderWay {
    frame: Box<AskFrame>,
    done: oneshot::Sender<Result<AskedEvent, ClientError>>,
}

struct Driver {
    client: Client,
    route: String,
    /// In which conversations turns are taken.
    turns: Option<TakeTurnsFrame>,
    /// In which conversations the program does what people want.
    controls: Option<TakeControlsFrame>,
    orders: mpsc::Receiver<Order>,
    heard: mpsc::Sender<SocketMessage>,
    /// Asks the server has not acknowledged, by their reference.
    under_way: BTreeMap<u64, UnderWay>,
    /// Withdrawals whose outcome has not come, by ask.
    withdrawn: BTreeMap<String, WithdrawFrame>,
    confirmed: Confirmed,
    next_reference: u64,
}

/// Why the driver left a connection.
enum Left {
    /// The program let go of the socket.
    Done,
    /// The connection broke.
    Broken(ClientError),
}

impl Driver {
    async fn run(mut self, first: ClientSocket) {
        let mut backoff = Backoff::default();
        let mut socket = Some(first);
        loop {
            let why = match socket.take() {
                Some(mut live) => match self.drive(&mut live, &mut backoff).await {
                    Left::Done => return,
                    Left::Broken(why) => why,
                },
                None => match self.back().await {
                    Ok(live) => {
                        socket = Some(live);
                        continue;
                    }
                    Err(why) => why,
                },
            };
            if !why.is_passing() {
                self.end(why).await;
                return;
            }
            let again_in = backoff.next();
            let told = SocketMessage::Cut {
                why: why.to_string(),
                again_in,
            };
            if self.heard.send(told).await.is_err() {
                return;
            }
            tokio::time::sleep(again_in).await;
        }
    }

    /// Connects again and repeats what was under way.
    async fn back(&mut self) -> Result<ClientSocket, ClientError> {
        let mut socket = ClientSocket::open(&self.client, &self.route).await?;
        for order in self.under_way.values() {
            socket.send(&AgentFrame::Ask(order.frame.clone())).await?;
        }
        for frame in self.withdrawn.values() {
            socket.send(&AgentFrame::Withdraw(frame.clone())).await?;
        }
        if let Some(frame) = &self.turns {
            socket.send(&AgentFrame::TakeTurns(frame.clone())).await?;
        }
        if let Some(frame) = &self.controls {
            socket
                .send(&AgentFrame::TakeControls(frame.clone()))
                .await?;
        }
        // A program that no longer listens is noticed at the next order.
        drop(self.heard.send(SocketMessage::Back).await);
        Ok(socket)
    }

    async fn drive(&mut self, socket: &mut ClientSocket, backoff: &mut Backoff) -> Left {
        loop {
            let room = self.under_way.len() < UNDER_WAY_MAX;
            let followed = tokio::select! {
                order = self.orders.recv(), if room => match order {
                    Some(order) => self.send(socket, order).await,
                    None => return Left::Done,
                },
                event = socket.next(AgentEvent::read) => match event {
                    Ok(event) => {
                        backoff.reset();
                        self.hear(socket, event).await
                    }
                    Err(error) => Err(error),
                },
            };
            match followed {
                Ok(true) => {}
                Ok(false) => return Left::Done,
                Err(error) => return Left::Broken(error),
            }
        }
    }

    async fn send(&mut self, socket: &mut ClientSocket, order: Order) -> Result<bool, ClientError> {
        let Order { mut frame, done } = order;
        match &mut frame {
            AgentFrame::Ask(frame) => {
                let reference = self.next_reference;
                self.next_reference += 1;
                frame.reference = Some(reference.to_string());
                let frame = frame.clone();
                let order = done.map(|done| UnderWay { frame, done });
                self.under_way.extend(order.map(|order| (reference, order)));
            }
            AgentFrame::Withdraw(frame) => {
                self.withdrawn.insert(frame.id.clone(), frame.clone());
            }
            AgentFrame::Confirm(frame) => self.confirmed.add(&frame.id),
            AgentFrame::TakeTurns(frame) => self.turns = Some(frame.clone()),
            AgentFrame::TakeControls(frame) => self.controls = Some(frame.clone()),
            AgentFrame::Say(_) | AgentFrame::Note(_) | AgentFrame::Controlled(_) => {}
        }
        socket.send(&frame).await.map(|()| true)
    }

    /// Whether to go on; not when the program no longer listens.
    async fn hear(
        &mut self,
        socket: &mut ClientSocket,
        event: AgentEvent,
    ) -> Result<bool, ClientError> {
        let told = match event {
            AgentEvent::Asked(asked) => {
                if let Some(order) = self.take(asked.reference.as_deref()) {
                    // A program that gave up asking does not read the reply.
                    drop(order.done.send(Ok(asked)));
                }
                return Ok(true);
            }
            AgentEvent::Outcome(outcome) => {
                self.withdrawn.remove(&outcome.id);
                if self.confirmed.has(&outcome.id) {
                    let again = ConfirmFrame {
                        reference: None,
                        id: outcome.id,
                    };
                    return socket
                        .send(&AgentFrame::Confirm(again))
                        .await
                        .map(|()| true);
                }
                SocketMessage::Outcome(outcome)
            }
            AgentEvent::Turn(turn) => SocketMessage::Turn(Box::new(turn)),
            AgentEvent::Control(control) => SocketMessage::Control(Box::new(control)),
            AgentEvent::Problem(problem) => {
                let SocketProblem { reference, problem } = *problem;
                if let Some(order) = self.take(reference.as_deref()) {
                    let refused = ClientError::Refused {
                        problem: Box::new(problem),
                        retry_after: None,
                    };
                    drop(order.done.send(Err(refused)));
                    return Ok(true);
                }
                if let Some(ask) = &problem.ask {
                    self.withdrawn.remove(&ask.id);
                }
                SocketMessage::Problem(Box::new(problem))
            }
        };
        Ok(self.heard.send(told).await.is_ok())
    }

    fn take(&mut self, reference: Option<&str>) -> Option<UnderWay> {
        self.under_way.remove(&reference?.parse().ok()?)
    }

    async fn end(mut self, why: ClientError) {
        self.orders.close();
        let said = why.to_string();
        for (_, order) in std::mem::take(&mut self.under_way) {
            drop(order.done.send(Err(ClientError::Cut(said.clone()))));
        }
        drop(self.heard.send(SocketMessage::Ended(why)).await);
    }
}

/// Outcomes we have confirmed: a confirm that got lost is repeated without telling the program.
#[derive(Default)]
struct Confirmed {
    known: HashSet<String>,
    order: VecDeque<String>,
}

impl Confirmed {
    fn add(&mut self, id: &str) {
        if self.known.insert(id.to_owned()) {
            self.order.push_back(id.to_owned());
        }
        if self.order.len() > CONFIRMED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }

    fn has(&self, id: &str) -> bool {
        self.known.contains(id)
    }
}
