"""What most teams would write for the same job: FastAPI, pydantic models and the async ORM of SQLAlchemy.

A measuring instrument for `bench_peer.py`, and no part of the product. It keeps projects, and events with
their data points in two tables, and has no tokens, no audit log, no counts and next to no checks.

    PEER_DATABASE=postgresql+asyncpg:///peer uvicorn peer_service:app
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from decimal import Decimal
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException
from pydantic import BaseModel, ConfigDict
from sqlalchemy import DateTime, ForeignKey, Numeric, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, joinedload, mapped_column, relationship, selectinload

CONNECTIONS = 16
PAGE = 20

engine = create_async_engine(os.environ["PEER_DATABASE"], pool_size=CONNECTIONS)
sessions = async_sessionmaker(engine, expire_on_commit=False)


class Base(DeclarativeBase):
    """The tables."""


class ProjectRow(Base):
    """A plant."""

    __tablename__ = "projects"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class PointTypeRow(Base):
    """What is measured."""

    __tablename__ = "point_types"
    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(unique=True)
    unit: Mapped[str | None]


class EventRow(Base):
    """When it was measured."""

    __tablename__ = "events"
    id: Mapped[int] = mapped_column(primary_key=True)
    event_type: Mapped[str]
    start_time: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)
    end_time: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    tracking_id: Mapped[str | None]
    data_points: Mapped[list["PointRow"]] = relationship(back_populates="event")


class PointRow(Base):
    """One value."""

    __tablename__ = "points"
    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), index=True)
    type_id: Mapped[int] = mapped_column(ForeignKey("point_types.id"))
    value: Mapped[Decimal] = mapped_column(Numeric)
    raw_value: Mapped[Decimal] = mapped_column(Numeric)
    event: Mapped[EventRow] = relationship(back_populates="data_points")
    type: Mapped[PointTypeRow] = relationship()


class Sent(BaseModel):
    """A value as it comes."""

    slug: str
    value: Decimal


class NewEvent(BaseModel):
    """An event as it comes."""

    event_type: str
    start_time: datetime
    end_time: datetime
    tracking_id: str | None = None
    data_points: list[Sent] = []


class NewEvents(BaseModel):
    """Many of them."""

    events: list[NewEvent]


class Record(BaseModel):
    """What is read from a row."""

    model_config = ConfigDict(from_attributes=True)


class Project(Record):
    id: int
    name: str
    created_at: datetime


class PointType(Record):
    slug: str
    unit: str | None


class Point(Record):
    id: int
    value: Decimal
    raw_value: Decimal
    type: PointType


class Event(Record):
    id: int
    event_type: str
    start_time: datetime
    end_time: datetime
    tracking_id: str | None
    data_points: list[Point]


class EventOfPoint(Record):
    id: int
    start_time: datetime
    end_time: datetime
    tracking_id: str | None


class PointWithEvent(Point):
    event: EventOfPoint


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    yield
    await engine.dispose()


async def session() -> AsyncIterator[AsyncSession]:
    async with sessions() as opened:
        yield opened


app = FastAPI(lifespan=lifespan)
Opened = Annotated[AsyncSession, Depends(session)]
WITH_POINTS = selectinload(EventRow.data_points).joinedload(PointRow.type)


@app.post("/events", status_code=201)
async def create_events(body: NewEvents, db: Opened) -> dict[str, list[int]]:
    rows = await _store(db, body.events)
    return {"data": [row.id for row in rows]}


@app.post("/event", status_code=201)
async def create_event(body: NewEvent, db: Opened) -> dict[str, int]:
    [row] = await _store(db, [body])
    return {"id": row.id}


async def _store(db: AsyncSession, events: list[NewEvent]) -> list[EventRow]:
    types = {one.slug: one.id for one in (await db.scalars(select(PointTypeRow))).all()}
    rows = [
        EventRow(
            **event.model_dump(exclude={"data_points"}),
            data_points=[
                PointRow(type_id=types[one.slug], value=one.value, raw_value=one.value)
                for one in event.data_points
            ],
        )
        for event in events
    ]
    db.add_all(rows)
    await db.commit()
    return rows


@app.get("/events")
async def list_events(db: Opened) -> dict[str, list[Event]]:
    newest = select(EventRow).order_by(EventRow.start_time.desc()).limit(PAGE).options(WITH_POINTS)
    return {"data": [Event.model_validate(row) for row in (await db.scalars(newest)).all()]}


@app.get("/events/{number}")
async def get_event(number: int, db: Opened) -> Event:
    row = await db.scalar(select(EventRow).where(EventRow.id == number).options(WITH_POINTS))
    if row is None:
        raise HTTPException(404)
    return Event.model_validate(row)


@app.get("/data_points")
async def list_data_points(db: Opened) -> dict[str, list[PointWithEvent]]:
    newest = (
        select(PointRow)
        .join(PointRow.event)
        .order_by(EventRow.start_time.desc())
        .limit(PAGE)
        .options(joinedload(PointRow.event), joinedload(PointRow.type))
    )
    return {"data": [PointWithEvent.model_validate(row) for row in (await db.scalars(newest)).all()]}


@app.get("/projects")
async def list_projects(db: Opened) -> dict[str, list[Project]]:
    first = select(ProjectRow).order_by(ProjectRow.id).limit(PAGE)
    return {"data": [Project.model_validate(row) for row in (await db.scalars(first)).all()]}
